"""Ctrl-C during a long fit answers within a second and leaves the AnnData as it was."""

import os
import signal
import subprocess
import sys
import time

import pytest

SCRIPT = """
import numpy as np, anndata as ad, methyl_dncb as md
adata = ad.AnnData(np.random.default_rng(0).random((200, 3000)).astype(np.float32))
try:
    print("started", flush=True)
    md.tl.dncb_mf(adata, 14, n_jobs={n_jobs}, progress=False)
except KeyboardInterrupt:
    print("interrupted", len(adata.obsm), len(adata.varm), len(adata.uns), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a child process on Windows")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt(n_jobs):
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(n_jobs=n_jobs)], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout.readline().strip() == "started"
        time.sleep(1.5)
        run.send_signal(signal.SIGINT)
        began = time.perf_counter()
        answer = run.stdout.readline().strip()
        seconds = time.perf_counter() - began
        run.wait(30)
    assert answer == "interrupted 0 0 0"
    assert seconds < 1

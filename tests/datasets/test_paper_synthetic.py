from __future__ import annotations

import hashlib
import os
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from methyl_dncb import datasets
from methyl_dncb.datasets import _paper_synthetic


@pytest.fixture
def server(tmp_path):
    """A local server of a folder in which a file of the authors' layout lies."""
    folder = tmp_path / "served"
    folder.mkdir()
    methylated = np.random.default_rng(0).integers(0, 101, (100, 500)).astype(float)
    np.savez(
        folder / "10clones_somewhatdispersed_seed_0.npz",
        methylated_counts=methylated,
        unmethylated_counts=100 - methylated,
        config_name="10clones_somewhatdispersed",
        params="loci500_clones10_cells100",
    )
    requests = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            requests.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}", folder, requests
        http.shutdown()
        thread.join()


def test_fetches_once_and_reads(server, tmp_path, monkeypatch):
    url, folder, requests = server
    name = "10clones_somewhatdispersed_seed_0.npz"
    sha256 = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    monkeypatch.setitem(_paper_synthetic.FILES, "medium", (name, sha256))
    fetch = partial(datasets.paper_synthetic, "medium", cache=tmp_path / "cache", base_url=url)
    adata = fetch()
    assert adata.shape == (100, 500)
    assert (adata.layers["methylated"] + adata.layers["unmethylated"] == 100).all()
    np.testing.assert_allclose(adata.X, (adata.layers["methylated"] + 0.1) / 100.2, rtol=1e-6)
    assert adata.uns["paper_synthetic"]["settings"] == "loci500_clones10_cells100"
    np.testing.assert_array_equal(fetch().X, adata.X)
    assert len(requests) == 1


def test_refuses_a_file_with_another_checksum(server, tmp_path):
    url, _, _ = server
    with pytest.raises(ValueError, match="hash"):
        datasets.paper_synthetic("medium", cache=tmp_path / "cache", base_url=url)
    assert not (tmp_path / "cache" / "10clones_somewhatdispersed_seed_0.npz").exists()


def test_unknown_dispersion_and_missing_pooch(monkeypatch):
    with pytest.raises(ValueError, match="one of low, medium, high"):
        datasets.paper_synthetic("extreme")
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"methyl-dncb\[datasets\]"):
        datasets.paper_synthetic("low")


@pytest.mark.skipif("METHYL_DNCB_DATA" not in os.environ, reason="METHYL_DNCB_DATA names no data folder")
@pytest.mark.parametrize(("dispersion", "mean"), [("low", 0.499), ("medium", 0.503), ("high", 0.271)])
def test_checksums_are_those_of_the_authors_files(dispersion, mean, tmp_path):
    folder = Path(os.environ["METHYL_DNCB_DATA"]) / "authors_synthetic"
    for name, _ in _paper_synthetic.FILES.values():
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    adata = datasets.paper_synthetic(dispersion, cache=tmp_path)
    assert adata.X.mean() == pytest.approx(mean, abs=1e-3)

"""The Snakemake rule of the documentation, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anndata
import pytest

pytest.importorskip("snakemake", reason="snakemake is not installed (extra: test)")

SNAKEFILE = Path(__file__).parents[2] / "docs" / "workflows" / "Snakefile"


def test_snakemake(tmp_path):
    for name in ("a", "b c"):  # spaces in names must not break the rule
        rows = "".join(f"chr1\t{i}\t{i}\t75\t3\t1\n" for i in range(100, 900, 7))
        (tmp_path / f"{name}.bismark.cov").write_text(rows)
    gene = 'chr1\thand\tgene\t101\t900\t.\t+\t.\tgene_id "G1"; gene_name "ABC1";\n'
    (tmp_path / "genes.gtf").write_text(gene)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "snakemake", "--snakefile", SNAKEFILE, "--cores", "2"),
            *("--config", "calls=*.bismark.cov", "regions=genes.gtf", "beta_options=--n-top 1"),
        ],
        cwd=tmp_path,
        # The command stands beside the interpreter that runs the tests.
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    adata = anndata.read_h5ad(tmp_path / "beta.h5ad")
    assert adata.obs_names.tolist() == ["a", "b c"]
    assert adata.shape == (2, 1)

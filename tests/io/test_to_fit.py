"""From files to a fitted AnnData in three calls."""

from __future__ import annotations

import numpy as np
import pandas as pd

import methyl_dncb as md
from tests.io import call_writers as writers


def test_three_calls(tmp_path):
    for seed in range(6):
        text = writers.render("bismark_report", writers.make_calls(seed, n=80))
        (tmp_path / f"s{seed}.CpG_report.txt").write_text(text)
    regions = pd.DataFrame({"chrom": "chr1", "start": range(0, 3000, 60), "end": range(60, 3060, 60)})

    adata = md.io.read_calls(str(tmp_path / "*.txt"), regions=regions, chrom_style="ucsc")
    md.pp.beta(adata)
    md.tl.dncb_mf(adata, 2, n_burnin=5, n_draws=5, thin=1, rng=0)

    assert np.isnan(adata.X).any()
    assert adata.obsm["X_dncb_mf"].shape == (6, 2)
    assert np.isfinite(adata.obsm["X_dncb_mf"]).all()


def test_arrays_in_three_calls(tmp_path):
    rng = np.random.default_rng(0)
    probes = [f"cg{i:08d}" for i in range(40)]
    pd.DataFrame(rng.beta(1, 1, (40, 8)), index=probes).to_csv(tmp_path / "betas.csv")
    mapping = pd.DataFrame({"probe": probes, "gene": np.repeat([f"G{i}" for i in range(20)], 2)})

    adata = md.pp.collapse_probes(md.io.read_betas(tmp_path / "betas.csv"), mapping)
    md.tl.dncb_mf(adata, 2, n_burnin=5, n_draws=5, thin=1, rng=0)

    assert adata.varm["dncb_mf_phi"].shape == (20, 2)

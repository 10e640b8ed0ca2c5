"""The authors' three synthetic files, with one fixed mask, against what their own sampler reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anndata as ad
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sizes import SHAPES, label

from methyl_dncb import datasets, tl

if TYPE_CHECKING:
    from pathlib import Path

    from sizes import Size

K = 10

# PPD^(1/|M|) of the authors' sampler: 3,000 sweeps, one chain, the same mask.
AUTHORS = {
    ("low", 0.25): 1.026,
    ("low", 0.75): 0.998,
    ("medium", 0.25): 2.280,
    ("medium", 0.75): 1.739,
    ("high", 0.25): 2.801,
    ("high", 0.75): 2.705,
}


def study(size: Size, data: Path, output: Path, jobs: int) -> None:
    """Write `authors_runs.csv` and print the ratio to the authors' figures.

    Single chains from several seeds show how much one differs from the next; one fit of four chains, with their
    draws pooled, shows what is gained by that.
    """
    seeds = range(size.n_masks * size.n_inits)
    cases = [("dncb_mf", shape, 1, seed) for shape in SHAPES for seed in seeds]
    cases += [("dncb_mf", shape, 4, 0) for shape in SHAPES]
    cases += [(model, float("nan"), 1, seed) for model in ("bg_nmf", "nmf") for seed in seeds]
    rows = Parallel(n_jobs=jobs)(
        delayed(_run)(data / "authors_synthetic", size.sampler, dispersion, *case)
        for dispersion in ("low", "medium", "high")
        for case in cases
    )
    runs = pd.DataFrame(rows)
    runs.to_csv(output / "authors_runs.csv", index=False, float_format="%.5g")
    groups = runs.groupby(["dispersion", "model"], sort=False)
    summary = groups.agg(log_ppd=("log_ppd", "mean"), se=("log_ppd", "sem"), authors=("authors", "first"))
    summary.insert(0, "ppd", np.exp(summary["log_ppd"]))
    summary["ratio"] = summary["ppd"] / summary["authors"]
    summary.reset_index().to_csv(output / "authors_summary.csv", index=False, float_format="%.4f")
    print(summary.round(3).to_string())


def _run(folder: Path, sampler: dict, dispersion: str, model: str, shape: float, n_chains: int, seed: int) -> dict:
    beta = datasets.paper_synthetic(dispersion, cache=folder).X
    adata = ad.AnnData(beta, layers={"held_out": np.random.default_rng(100).random(beta.shape) < 0.1})
    common = {"mask": "held_out", "rng": seed, "key_added": "fit", "progress": False}
    if model == "dncb_mf":
        tl.dncb_mf(adata, K, shape=shape, n_chains=n_chains, keep_draws=True, n_jobs=1, **sampler, **common)
    elif model == "bg_nmf":
        tl.bg_nmf(adata, K, keep_draws=True, n_jobs=1, **common)
    else:
        tl.nmf(adata, K, **common)
    score = tl.heldout_score(adata, key="fit", draws=100 * n_chains, n_jobs=1)
    name = label(model, shape) + (f", {n_chains} chains" if n_chains > 1 else "")
    reference = AUTHORS.get((dispersion, shape), float("nan"))
    return {"dispersion": dispersion, "model": name, "seed": seed, "authors": reference, **score}

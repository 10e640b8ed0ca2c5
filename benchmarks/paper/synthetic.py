"""Figure "synthetic" of the paper: held-out PPD by number of components, model and dispersion."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from figure import plot_synthetic
from sizes import MODELS, SHAPES, label

from methyl_dncb import datasets, tl

if TYPE_CHECKING:
    from pathlib import Path

    from sizes import Size

DISPERSIONS = ("low", "medium", "high")


def study(size: Size, output: Path, jobs: int) -> None:
    """Run what is not yet in `output`, then write `synthetic_runs.csv`, summaries and the plot."""
    runs = pd.concat(
        [_runs(size, output, jobs, *case) for case in product(DISPERSIONS, range(size.n_datasets))], ignore_index=True
    )
    runs.to_csv(output / "synthetic_runs.csv", index=False, float_format="%.5g")
    summary = summarise(runs)
    summary.to_csv(output / "synthetic_summary.csv", index=False, float_format="%.4f")
    orderings = compare(runs)
    orderings.to_csv(output / "synthetic_orderings.csv", index=False, float_format="%.4f")
    plot_synthetic(summary, output / "synthetic.png")
    print(summary.pivot_table(index=["dispersion", "n_components"], columns="model", values="ppd", sort=False).round(3))
    print(orderings.round(4).to_string(index=False))


def _runs(size: Size, output: Path, jobs: int, dispersion: str, dataset: int) -> pd.DataFrame:
    """All runs on one dataset; those on disk are not repeated."""
    adata = datasets.epiclomal(dispersion, rng=dataset)
    parts = []
    for model in ("dncb_mf", "bg_nmf", "nmf"):
        arguments = size.sampler if model == "dncb_mf" else {}
        path = output / "runs" / f"{dispersion}_{dataset}_{model}.csv"
        path.parent.mkdir(exist_ok=True)
        print(f"{dispersion} dispersion, dataset {dataset}, {model}", flush=True)
        part = tl.select_components(
            adata,
            size.n_components,
            SHAPES,
            model=model,
            n_masks=size.n_masks,
            n_inits=size.n_inits,
            path=path,
            rng=0,
            n_jobs=jobs,
            **arguments,
        )
        parts.append(part.assign(model=[label(model, shape) for shape in part["shape"]]))
    found = pd.concat(parts, ignore_index=True).drop(columns="shape")
    found.insert(0, "dispersion", dispersion)
    found.insert(1, "dataset", dataset)
    return found


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Geometric mean PPD of each setting over datasets, masks and starts; the error is of the mean log PPD."""
    setting = ["dispersion", "n_components", "model"]
    groups = runs.groupby(setting, sort=False)
    per_unit = runs.groupby([*setting, *_unit(runs)], sort=False)["log_ppd"].mean()
    summary = per_unit.groupby(setting, sort=False).agg(log_ppd="mean", log_ppd_se="sem").reset_index()
    summary.insert(3, "ppd", np.exp(summary["log_ppd"]))
    return summary.merge(groups.size().rename("n_runs").reset_index()).merge(
        groups[["mae", "coverage_90", "seconds"]].mean().reset_index()
    )


def _unit(runs: pd.DataFrame) -> list[str]:
    """What errors are between: datasets, as masks and starts of one have much in common, or these if there is one."""
    return ["dataset"] if runs["dataset"].nunique() > 1 else ["mask", "init"]


def compare(runs: pd.DataFrame) -> pd.DataFrame:
    """The paper's orderings as paired differences of log PPD, averaged over K, on the same data and masks."""
    rows = []
    for dispersion in DISPERSIONS:
        by_model = (
            runs[runs["dispersion"] == dispersion]
            .pivot_table(index=_unit(runs), columns="model", values="log_ppd", aggfunc="mean")
            .reindex(columns=MODELS)
        )
        small, large, bg_nmf, nmf = MODELS
        right, wrong = (large, small) if dispersion == "low" else (small, large)
        for better, worse in ((right, wrong), (right, bg_nmf), (right, nmf), (wrong, nmf), (bg_nmf, nmf)):
            difference = by_model[better] - by_model[worse]
            mean, se = difference.mean(), difference.sem()
            shown = "yes" if mean > 2 * se else "no, the reverse" if mean < -2 * se else "undecided"
            rows.append((dispersion, better, worse, mean, se, len(difference), shown if len(difference) > 1 else "?"))
    columns = ["dispersion", "better", "than", "log_ppd_difference", "se", "n_pairs", "shown"]
    return pd.DataFrame(rows, columns=columns)

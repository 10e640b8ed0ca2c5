"""`methyl-dncb demo`: the whole way on data with a known truth, made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._atomic import atomic_path, check_output
from ._options import Jobs, Json, Quiet, report

if TYPE_CHECKING:
    from anndata import AnnData

N_SAMPLES, N_GENES, MISSING = 120, 400, 0.05
N_NEIGHBOURS = 5


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write (.h5ad).")] = Path("demo.h5ad"),
    figures: Annotated[Path, typer.Option(help="Folder for the figures; made if need be.")] = Path("demo_figures"),
    seed: Annotated[int, typer.Option(help="Seed of the data and of the fit.")] = 0,
    n_jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Simulate samples with known components, fit DNCB-MF, and say how well the truth was recovered.

    Three groups of samples, each with genes that are methylated or unmethylated in it alone; 5% of the values
    are missing. Takes well under a minute.

    Exit codes: 0 done; 1 the files cannot be written (one line on stderr says why); 2 wrong usage.
    """
    from .. import datasets, tl
    from ._figures import all_pictures, save_pictures

    check_output(output, suffix=".h5ad")
    adata = datasets.simulate_groups(N_SAMPLES, N_GENES, missing=MISSING, rng=seed)
    tl.dncb_mf(
        adata,
        n_components=adata.varm["truth_phi"].shape[1],
        n_burnin=1000,
        n_draws=50,
        thin=10,
        rng=seed,
        n_jobs=n_jobs,
        keep_draws=True,
        progress=False if quiet else None,
    )
    with atomic_path(output) as temporary:
        adata.write_h5ad(temporary)
    paths = save_pictures(all_pictures(adata, ["group"], "dncb_mf"), figures, dpi=150)
    summary = recovery(adata) | {"output": str(output), "figures": [str(path) for path in paths]}
    report(summary, _in_words(summary), quiet=quiet, as_json=as_json)


def recovery(adata: AnnData) -> dict[str, Any]:
    """How alike found and true components are, and how well ρ tells the groups apart."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    found, truth = adata.varm["dncb_mf_phi"], adata.varm["truth_phi"]
    K = truth.shape[1]
    likeness = np.corrcoef(truth.T, found.T)[:K, K:]
    matched = likeness[linear_sum_assignment(likeness, maximize=True)]
    names = [str(name) for name in adata.uns["truth"]["components"]]
    classifier = KNeighborsClassifier(N_NEIGHBOURS)
    accuracy = cross_val_score(classifier, adata.obsm["X_dncb_mf"], adata.obs["group"].astype(str), cv=5).mean()
    return {
        "correlation": dict(zip(names, map(float, matched), strict=True)),
        "group_accuracy": float(accuracy),
        "verdict": adata.uns["dncb_mf"]["verdict"],
        "seconds": float(adata.uns["dncb_mf"]["seconds"]),
    }


def _in_words(summary: dict[str, Any]) -> str:
    rows = "".join(f"\n  {name:<14}{value:6.2f}" for name, value in summary["correlation"].items())
    return (
        f"Fitted {N_SAMPLES} samples × {N_GENES} genes in {summary['seconds']:.0f} s.\n"
        f"Correlation of the true gene weights with those of the component that matches them:{rows}\n"
        f"Groups told apart by ρ: {summary['group_accuracy']:.0%} of samples "
        f"({N_NEIGHBOURS} nearest neighbours, 5-fold cross-validation; chance is 33%).\n"
        f"{summary['verdict']}\n"
        f"Wrote {summary['output']} and {len(summary['figures'])} figures in {Path(summary['figures'][0]).parent}."
    )

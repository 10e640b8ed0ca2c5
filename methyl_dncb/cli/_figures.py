"""The figures of a fit, as `plot` writes and `report` shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ._atomic import atomic_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from anndata import AnnData
    from matplotlib.figure import Figure

FEWEST_GROUPS, MOST_GROUPS = 2, 20


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure to be drawn: the name of its file, its caption, and how to draw it."""

    name: str
    caption: str
    draw: Callable[[], Figure]


def choose_groups(adata: AnnData, groupby: Sequence[str] | None) -> list[str]:
    """The columns of `obs` asked for, or the first that divides the samples into a few groups, if there is one."""
    if groupby:
        unknown = [column for column in groupby if column not in adata.obs]
        if unknown:
            known = ", ".join(adata.obs.columns) or "none"
            raise ValueError(f"--groupby names {unknown[0]!r}, which is no column of obs; the columns are: {known}")
        return list(groupby)
    for column in adata.obs:
        values = adata.obs[column]
        if values.dtype.kind not in "fiu" and FEWEST_GROUPS <= values.nunique() <= min(MOST_GROUPS, adata.n_obs - 1):
            return [column]
    return []


def pictures_of_data(adata: AnnData, groups: list[str], key: str) -> Iterator[Picture]:
    """What went into the fit."""
    from .. import pl

    params = adata.uns[key]["params"]
    layer, of_fit = params.get("layer"), key if f"{key}_phi_draws" in adata.varm else None
    overlay = "; the line is what the fit predicts" if of_fit else ""
    yield Picture(
        "beta_histogram",
        f"Histogram of β{overlay}.",
        partial(pl.beta_histogram, adata, key=of_fit, layer=layer, return_fig=True),
    )
    yield Picture(
        "beta_heatmap",
        "β of the most variable genes: blue is unmethylated, red methylated, grey missing.",
        partial(pl.beta_heatmap, adata, groups or None, layer=layer, return_fig=True),
    )


def pictures_of_diagnostics(adata: AnnData, key: str) -> Iterator[Picture]:
    """Whether the fit can be trusted."""
    from .. import pl

    if "log_likelihood" in adata.uns[key]:
        yield Picture(
            "trace",
            "Trace of the log likelihood, and of ε if it was learned; burn-in is shaded. Chains that agree lie on "
            "each other and stay level.",
            partial(pl.trace, adata, key=key, return_fig=True),
        )
    if f"{key}_phi_draws" in adata.varm:
        yield Picture(
            "posterior_predictive",
            "Data against data drawn from the fit: histograms, quantiles and, if entries were held out, the share of "
            "them inside their predictive intervals. A good fit lies on the diagonals.",
            partial(pl.posterior_predictive, adata, key=key, return_fig=True),
        )
    if "table" in adata.uns.get("select_components", {}):
        yield Picture(
            "heldout",
            "Predictive density of held-out values against the number of components; higher is better.",
            partial(pl.heldout, adata, return_fig=True),
        )


def pictures_of_components(adata: AnnData, groups: list[str], key: str) -> Iterator[Picture]:
    """What the fit found."""
    from .. import pl

    yield Picture(
        "embedding_heatmap",
        "ρ of samples and components. Red: the component’s genes are hypermethylated in the sample; blue: "
        "hypomethylated.",
        partial(pl.embedding_heatmap, adata, groups or None, key=key, return_fig=True),
    )
    yield Picture(
        "top_genes",
        "The genes with the highest weights φ in each component (of more than twelve, the first twelve); bars are 95% "
        "credible intervals, where draws were kept.",
        partial(pl.top_genes, adata, key=key, n_columns=4, return_fig=True),
    )


def pictures_of_groups(adata: AnnData, groups: list[str], key: str) -> Iterator[Picture]:
    """How components differ between groups."""
    from .. import pl

    for column in groups:
        yield Picture(
            f"component_groups_{column}",
            f"The components whose ρ differs most by {column}. η² is the share of its variance between groups.",
            partial(pl.component_groups, adata, column, key=key, return_fig=True),
        )


def all_pictures(adata: AnnData, groups: list[str], key: str) -> Iterator[Picture]:
    """Every figure of a fit, in the order in which one would look at them."""
    yield from pictures_of_data(adata, groups, key)
    yield from pictures_of_diagnostics(adata, key)
    yield from pictures_of_components(adata, groups, key)
    yield from pictures_of_groups(adata, groups, key)


def save_pictures(pictures: Iterable[Picture], folder: Path, *, file_format: str = "png", dpi: int = 300) -> list[Path]:
    """Draw the figures into files of a folder, and return their paths."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for picture in pictures:
        # A column of `obs` may be called anything; file systems do not take every name.
        name = re.sub(r"[^\w.-]+", "_", picture.name)
        path = folder / f"{name}.{file_format}"
        figure = picture.draw()
        with atomic_path(path) as temporary:
            figure.savefig(temporary, dpi=dpi)
        plt.close(figure)
        paths.append(path)
    return paths

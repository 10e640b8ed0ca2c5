from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _check
from ..get import top_genes as top_genes_table
from ._figure import LABEL_SIZE, LONGEST_NAME, ONE_COLUMN, TWO_COLUMNS, finish, new_grid, plain, shorten
from ._palette import GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ALL_SHOWN = 12  # panels; more are shown on request only


def top_genes(
    adata: AnnData,
    n: int = 10,
    *,
    components: Sequence[int | str] | int | str | None = None,
    interval: float = 0.95,
    n_columns: int = 2,
    key: str = "dncb_mf",
    ax: Axes | Sequence[Axes] | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> list[Axes] | Figure | None:
    """Stem plots of the genes with the highest φ, one panel for each component.

    If the fit kept its draws (`keep_draws=True`), bars show the credible intervals of φ.

    Parameters
    ----------
    adata
        An object with a fit.
    n
        Number of genes per component.
    components
        Components by number, from 0; by default all, up to 12.
    interval
        Probability of the credible intervals.
    n_columns
        Panels side by side.
    key
        Stem of the fit's keys.
    ax
        Axes to draw on, one for each component, instead of a new figure.
    show
        Whether to show the figure; by default as scanpy's `settings.autoshow` has it.
    return_fig
        Whether to return the figure instead.

    Returns
    -------
    A list of Axes, one for each component, if `show=False`; the Figure if `return_fig=True`; else None.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(30, 60, rng=0)
    >>> axes = md.pl.top_genes(adata, 5, components=[0, 2], key="truth", show=False)
    >>> [ax.get_title(loc="left") for ax in axes]
    ['component hyper G1', 'component hyper G2']
    """
    table = top_genes_table(adata, n, components=components, interval=interval, key=key)
    panels = list(table.groupby("component", sort=False))
    if components is None:
        panels = panels[:_ALL_SHOWN]
    if ax is None:
        n_columns = min(_check.whole_number("n_columns", n_columns, least=1), len(panels))
        longest_name = min(table["gene"].str.len().max(), LONGEST_NAME)
        width = np.clip(n_columns * (1.1 + 0.055 * longest_name), ONE_COLUMN, TWO_COLUMNS)
        height = 0.5 + 0.125 * table["rank"].max()
        axes = new_grid(len(panels), n_columns=n_columns, width=width, height=height)
    else:
        axes = list(np.atleast_1d(ax))
    if len(axes) != len(panels):
        raise ValueError(f"{len(panels)} components need {len(panels)} Axes, not {len(axes)}")
    for panel, (component, genes) in zip(axes, panels, strict=True):
        _draw_stems(panel, genes)
        panel.set_title(f"component {shorten(str(component))}", loc="left", fontsize=LABEL_SIZE)
        panel.set_xlabel("φ")
        plain(panel)
    return finish(axes, show=show, return_fig=return_fig)


def _draw_stems(ax: Axes, genes: pd.DataFrame) -> None:
    """One component's genes from top to bottom; lying stems leave room for long names."""
    rows = np.arange(len(genes))
    ax.hlines(rows, 0, genes["phi"], color=GROUPS[0], linewidth=0.8, alpha=0.5)
    ax.plot(genes["phi"], rows, "o", color=GROUPS[0], markersize=3)
    if "lower" in genes:
        ax.hlines(rows, genes["lower"], genes["upper"], color=GROUPS[0], linewidth=1.6)
    ax.set_yticks(rows, [shorten(gene) for gene in genes["gene"]])
    ax.set_ylim(len(genes) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.locator_params(axis="x", nbins=3)

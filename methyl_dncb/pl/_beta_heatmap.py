from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _check
from .._data import IF_PRESENT, read_betas
from ..pp._rows import moments
from ._figure import finish, shorten
from ._groups import sort_samples
from ._heatmap import draw_heatmap
from ._order import leaf_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .._data import MaskVar

MOST_NAMED = 40  # genes whose names can be read side by side


def beta_heatmap(
    adata: AnnData,
    groupby: str | Sequence[str] | None = None,
    *,
    genes: Sequence[str] | None = None,
    n_genes: int = 500,
    cluster_genes: bool = True,
    cluster_samples: bool = True,
    layer: str | None = None,
    mask_var: MaskVar = IF_PRESENT,
    cmap: str | None = None,
    ax: Axes | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> Axes | Figure | None:
    """Heatmap of β, samples × genes, from blue (unmethylated) to red (methylated); missing values are grey.

    Parameters
    ----------
    adata
        β values, samples × genes.
    groupby
        One or several columns of `obs` to sort and annotate samples by. Samples without a label come last.
    genes
        Names of the genes to show, in this order; by default the most variable ones.
    n_genes
        How many of the most variable genes to show.
    cluster_genes
        Whether to put genes with like β side by side; has no effect on `genes`.
    cluster_samples
        Whether to cluster samples within their group, or to keep their order.
    layer
        Layer with the β values; X by default.
    mask_var
        Genes to choose from: a boolean column of `var` or an array; `var["highly_variable"]` if present.
    cmap
        Another colour map.
    ax
        Axes to draw on, instead of a new figure.
    show
        Whether to show the figure; by default as scanpy's `settings.autoshow` has it.
    return_fig
        Whether to return the figure instead.

    Returns
    -------
    The Axes if `show=False`, the Figure if `return_fig=True`, else None.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(30, 60, rng=0)
    >>> ax = md.pl.beta_heatmap(adata, "group", show=False)
    >>> ax.get_xlabel()
    '60 genes'
    """
    n_genes = _check.whole_number("n_genes", n_genes, least=1)
    betas = read_betas(adata, layer=layer, mask_var=None if genes is not None else mask_var)
    names = adata.var_names[betas.genes]
    columns = _most_variable(betas.beta_NM, n_genes) if genes is None else _find(names, genes)
    values = betas.beta_NM[:, columns]
    if genes is None and cluster_genes:
        by_likeness = leaf_order(values.T)
        columns, values = columns[by_likeness], values[:, by_likeness]
    order, strips = sort_samples(adata, groupby, values if cluster_samples else None)
    shown = [shorten(name) for name in names[columns]] if len(columns) <= MOST_NAMED else None
    of_all = f" most variable of {len(names):,}" if genes is None and len(columns) < len(names) else ""
    xlabel = f"{len(columns):,}{of_all} genes"
    ax = draw_heatmap(values[order], shown, strips, label="β", xlabel=xlabel, ax=ax, cmap=cmap)
    return finish(ax, show=show, return_fig=return_fig)


def _most_variable(beta_NM: np.ndarray, n: int) -> np.ndarray:
    """The `n` columns of highest variance, in their own order."""
    _, _, variance = moments(beta_NM)
    return np.sort(np.argsort(-np.nan_to_num(variance, nan=-1), kind="stable")[:n])


def _find(names: Sequence[str], genes: Sequence[str]) -> np.ndarray:
    place = {name: i for i, name in enumerate(names)}
    unknown = [gene for gene in genes if gene not in place]
    if unknown or len(genes) == 0:
        raise ValueError(f"genes that are not in adata.var_names: {unknown[:5]}" if unknown else "genes is empty")
    return np.array([place[gene] for gene in genes])

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ..get._fit import find_fit
from ._figure import finish
from ._groups import sort_samples
from ._heatmap import draw_heatmap
from ._order import leaf_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def embedding_heatmap(
    adata: AnnData,
    groupby: str | Sequence[str] | None = None,
    *,
    components: Literal["clustered"] | Sequence[int | str] | None = "clustered",
    cluster_samples: bool = True,
    key: str = "dncb_mf",
    cmap: str | None = None,
    ax: Axes | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> Axes | Figure | None:
    """Heatmap of the embedding ρ, samples × components.

    Red is ρ above 0.5: the component's genes are hypermethylated in the sample. Blue is ρ below 0.5:
    hypomethylated.

    Parameters
    ----------
    adata
        An object with a fit.
    groupby
        One or several columns of `obs`; samples are sorted by the first, then the second, and so on. Colours
        are those of scanpy (`uns["…_colors"]`) where there are any. Samples without a label come last.
    components
        `"clustered"` puts components with like ρ side by side; a list chooses and orders them; None keeps
        their numbers' order.
    cluster_samples
        Whether to cluster samples within their group, or to keep their order.
    key
        Stem of the fit's keys.
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
    >>> ax = md.pl.embedding_heatmap(adata, "group", key="truth", show=False)
    >>> ax.get_xlabel()
    'component'
    """
    fit = find_fit(adata, key)
    rho_NK = fit.ratio()
    if isinstance(components, str) and components == "clustered":
        columns = leaf_order(rho_NK.T)
    else:
        columns = np.array(fit.choose(components))
    order, strips = sort_samples(adata, groupby, rho_NK[:, columns] if cluster_samples else None)
    names = [fit.names[k] for k in columns]
    values = rho_NK[np.ix_(order, columns)]
    ax = draw_heatmap(values, names, strips, label="ρ", xlabel="component", ax=ax, cmap=cmap)
    return finish(ax, show=show, return_fig=return_fig)

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from .. import _check
from .._data import read_betas
from ..get._fit import find_fit
from ._figure import ONE_COLUMN, TICK_SIZE, finish, new_grid, plain, shorten
from ._palette import GROUPS
from ._predictive import choose_entries, predictive_density

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ENTRIES, _DRAWS = 1000, 20  # behind the predictive density; more do not move the line
_GRID: Final = np.linspace(0.005, 0.995, 100)


def beta_histogram(
    data: AnnData | Mapping[str, AnnData],
    *,
    key: str | None = None,
    bins: int = 40,
    layer: str | None = None,
    n_columns: int = 2,
    rng: np.random.Generator | int | None = 0,
    ax: Axes | Sequence[Axes] | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> Axes | list[Axes] | Figure | None:
    """Histogram of β, of one object or of several side by side.

    Parameters
    ----------
    data
        An object with β values, or a dict from titles to such.
    key
        Stem of a fit with draws (`keep_draws=True`) whose predictive density is drawn over the histogram; the
        histogram is then of the genes of the fit.
    bins
        Number of bins.
    layer
        Layer with the β values; X by default.
    n_columns
        Panels side by side.
    rng
        Seed or generator for the choice of entries that the predictive density is averaged over.
    ax
        Axes to draw on, one for each object, instead of a new figure.
    show
        Whether to show the figure; by default as scanpy's `settings.autoshow` has it.
    return_fig
        Whether to return the figure instead.

    Returns
    -------
    With `show=False` the Axes, a list of them if several objects were given; the Figure if `return_fig=True`;
    else None.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> low, high = (md.datasets.epiclomal(level, rng=0) for level in ("low", "high"))
    >>> axes = md.pl.beta_histogram({"low dispersion": low, "high dispersion": high}, show=False)
    >>> [ax.get_title() for ax in axes]
    ['low dispersion', 'high dispersion']
    """
    bins = _check.whole_number("bins", bins, least=1)
    several = isinstance(data, Mapping)
    objects = dict(data) if several else {"": data}
    if not objects:
        raise ValueError("data is empty; pass an AnnData or a dict of them")
    genes = [None if key is None else find_fit(adata, key).genes for adata in objects.values()]
    values = [
        read_betas(adata, layer=layer, mask_var=mask_var).beta_NM
        for adata, mask_var in zip(objects.values(), genes, strict=True)
    ]
    curves = [None if key is None else _curve(adata, key, rng) for adata in objects.values()]
    if ax is None:
        height = 2.0 if len(objects) == 1 else 1.6
        axes = new_grid(len(objects), n_columns=n_columns, width=ONE_COLUMN, height=height)
    else:
        axes = list(np.atleast_1d(ax))
    if len(axes) != len(objects):
        raise ValueError(f"{len(objects)} objects need {len(objects)} Axes, not {len(axes)}")
    for panel, title, beta, curve in zip(axes, objects, values, curves, strict=True):
        panel.hist(beta[~np.isnan(beta)], bins=bins, range=(0, 1), density=True, color=GROUPS[4], linewidth=0)
        if curve is not None:
            panel.plot(_GRID, curve, color=GROUPS[5], linewidth=1.2, label="predictive")
            panel.legend(frameon=False, fontsize=TICK_SIZE, handlelength=1.2)
        panel.set(title=shorten(title, 24), xlim=(0, 1), xticks=[0, 0.5, 1], xlabel="β")
        plain(panel)
    axes[0].set_ylabel("density")
    return finish(axes if several else axes[0], show=show, return_fig=return_fig)


def _curve(adata: AnnData, key: str, rng: np.random.Generator | int | None) -> np.ndarray:
    generator = np.random.default_rng(rng)
    return predictive_density(choose_entries(adata, key=key, n_entries=_ENTRIES, n_draws=_DRAWS, rng=generator), _GRID)

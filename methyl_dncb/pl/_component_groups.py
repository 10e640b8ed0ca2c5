from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from .. import _check
from ..get._fit import find_fit
from ._figure import ONE_COLUMN, TICK_SIZE, TWO_COLUMNS, finish, label_columns, new_grid, plain, shorten
from ._groups import group_labels
from ._palette import INK, UNLABELLED, group_colors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FEWEST_FOR_SHAPE: Final = 10  # samples; the shape of a violin of fewer means nothing
_MOST_POINTS: Final = 200  # per group; more hide each other and the violin


def component_groups(
    adata: AnnData,
    groupby: str,
    *,
    components: Sequence[int | str] | int | str | None = None,
    n_top: int = 4,
    n_columns: int = 2,
    key: str = "dncb_mf",
    ax: Axes | Sequence[Axes] | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> list[Axes] | Figure | None:
    """How ρ of a component differs between groups of samples.

    Every sample is a point, up to 200 of a group; groups of at least 10 get a violin; the bar is the mean.
    The share of the variance of ρ that lies between groups, η², is given above and orders the components. It
    describes these samples and is no test.

    Parameters
    ----------
    adata
        An object with a fit.
    groupby
        Column of `obs`. Samples without a label are drawn last, in grey, and left out of η².
    components
        Components to draw, in this order; by default those with the largest η².
    n_top
        How many to draw by default.
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
    >>> axes = md.pl.component_groups(adata, "group", n_top=1, key="truth", show=False)
    >>> [label.get_text() for label in axes[0].get_xticklabels()]
    ['G1', 'G2', 'G3']
    """
    n_top = _check.whole_number("n_top", n_top, least=1)
    fit = find_fit(adata, key)
    rho_NK = fit.ratio()
    labels = group_labels(adata, groupby)
    share_K = variance_between(rho_NK, labels)
    chosen = list(np.argsort(-share_K, kind="stable")[:n_top]) if components is None else fit.choose(components)
    if ax is None:
        n_columns = min(_check.whole_number("n_columns", n_columns, least=1), len(chosen))
        longest = min(max(map(len, labels.categories)), 16)
        width = np.clip(n_columns * (0.5 + 0.22 * len(labels.categories)), ONE_COLUMN, TWO_COLUMNS)
        axes = new_grid(len(chosen), n_columns=n_columns, width=width, height=1.4 + 0.05 * longest)
    else:
        axes = list(np.atleast_1d(ax))
    if len(axes) != len(chosen):
        raise ValueError(f"{len(chosen)} components need {len(chosen)} Axes, not {len(axes)}")
    colors = group_colors(adata, groupby, list(labels.categories))
    for panel, k in zip(axes, chosen, strict=True):
        _draw_groups(panel, [rho_NK[labels == label, k] for label in labels.categories], colors)
        panel.set_title(f"component {shorten(fit.names[k])}, η² {share_K[k]:.2f}", loc="left", fontsize=TICK_SIZE)
    axes[0].set_ylabel("ρ")
    return finish(axes, show=show, return_fig=return_fig)


def variance_between(rho_NK: np.ndarray, labels: pd.Categorical) -> np.ndarray:
    """η² of every component: the sum of squares between labelled groups over the total; 0 where nothing varies."""
    labelled = labels != UNLABELLED
    rho_NK, codes = rho_NK[labelled], labels.codes[labelled]
    if not len(codes):
        return np.zeros(rho_NK.shape[1])
    grand_mean = rho_NK.mean(axis=0)
    total = ((rho_NK - grand_mean) ** 2).sum(axis=0)
    groups = [rho_NK[codes == code] for code in np.unique(codes)]
    between = sum(len(group) * (group.mean(axis=0) - grand_mean) ** 2 for group in groups)
    return np.divide(between, total, out=np.zeros_like(total), where=total > 0)


def _draw_groups(ax: Axes, groups: list[np.ndarray], colors: dict[str, str]) -> None:
    rng = np.random.default_rng(0)  # the jitter is the same every time
    for place, (values, color) in enumerate(zip(groups, colors.values(), strict=True)):
        if len(values) >= _FEWEST_FOR_SHAPE and np.ptp(values) > 0:
            (body,) = ax.violinplot(values, [place], widths=0.8, showextrema=False)["bodies"]
            body.set(facecolor=color, alpha=0.35, linewidth=0)
        points = values if len(values) <= _MOST_POINTS else rng.choice(values, _MOST_POINTS, replace=False)
        jitter = place + rng.uniform(-0.18, 0.18, len(points))
        size = 3 if len(points) > _FEWEST_FOR_SHAPE else 9
        ax.scatter(jitter, points, s=size, color=color, linewidth=0, rasterized=len(points) > 50)
        if len(values) > 1:
            ax.hlines(values.mean(), place - 0.3, place + 0.3, color=INK, linewidth=1.2)
    ax.set(ylim=(-0.02, 1.02), yticks=[0, 0.5, 1], xlim=(-0.6, len(groups) - 0.4))
    ax.axhline(0.5, color="0.8", linewidth=0.6, zorder=0)
    plain(ax)
    label_columns(ax, [shorten(label) for label in colors])

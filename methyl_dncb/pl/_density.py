from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from ..stats import dncb
from ._figure import TICK_SIZE, axes_or_new, finish, plain
from ._palette import GROUPS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Parameters = tuple[float, float, float, float]
_STYLES = ("-", "--", ":", "-.")
_EDGE = 0.02  # for shapes below 1 the density has no bound at 0 and 1; the frame is set by what lies between


def density(
    parameters: Parameters | Sequence[Parameters] | Mapping[str, Parameters],
    *,
    ax: Axes | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> Axes | Figure | None:
    """Densities of the doubly non-central beta distribution.

    Parameters
    ----------
    parameters
        (ε₁, ε₂, λ₁, λ₂), a list of such, or a dict from labels to such.
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
    >>> ax = md.pl.density([(0.75, 0.75, 0, 0), (0.75, 0.75, 4, 1)], show=False)
    >>> len(ax.lines)
    2
    """
    settings = _by_label(parameters)
    beta = np.linspace(0, 1, 1001)[1:-1]
    inside = (beta > _EDGE) & (beta < 1 - _EDGE)
    curves = {label: dncb.pdf(beta, *setting) for label, setting in settings.items()}
    ax = axes_or_new(ax, height=2.0 + 0.14 * len(curves))
    styles = zip(cycle(GROUPS), cycle(_STYLES), strict=False)
    for (label, values), (color, style) in zip(curves.items(), styles, strict=False):
        ax.plot(beta, values, style, color=color, linewidth=1.2, label=label)
    ax.set(xlabel="β", ylabel="density", xlim=(0, 1), xticks=[0, 0.5, 1])
    ax.set_ylim(0, 1.15 * max(values[inside].max() for values in curves.values()))
    ax.legend(
        frameon=False, fontsize=TICK_SIZE, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0, handlelength=2
    )
    plain(ax)
    return finish(ax, show=show, return_fig=return_fig)


def _by_label(parameters: Parameters | Sequence[Parameters] | Mapping[str, Parameters]) -> dict[str, Parameters]:
    """Every setting under its label, checked."""
    if hasattr(parameters, "items"):
        settings = dict(parameters)
    else:
        rows = [parameters] if np.ndim(parameters) == 1 else list(parameters)
        settings = {_label(row): row for row in rows}
    if not settings:
        raise ValueError("parameters is empty; give (ε₁, ε₂, λ₁, λ₂) or several of them")
    for label, setting in settings.items():
        if np.shape(setting) != (4,) or not (np.isfinite(setting).all() and min(setting[:2]) > 0 <= min(setting[2:])):
            raise ValueError(f"a setting is (ε₁, ε₂, λ₁, λ₂) with ε above 0 and λ at least 0, not {label}: {setting}")
    return settings


def _label(setting: Parameters) -> str:
    if np.shape(setting) != (4,):
        return "setting"
    eps1, eps2, lam1, lam2 = setting
    return f"ε = ({eps1:g}, {eps2:g}), λ = ({lam1:g}, {lam2:g})"

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from ..get._fit import find_fit
from ..tl._diagnose import convergence
from ._figure import ONE_COLUMN, TICK_SIZE, finish, new_grid, plain
from ._palette import GROUPS
from ._quantities import default_quantities, read_quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._quantities import Chains, Quantity

_MOST_NAMED = 6  # chains in the legend, as many as there are colours


def trace(
    adata: AnnData,
    quantities: Sequence[Quantity] | None = None,
    *,
    key: str = "dncb_mf",
    ax: Axes | Sequence[Axes] | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> list[Axes] | Figure | None:
    """Trace of the log likelihood and other quantities by chain, with R-hat and effective sample size.

    Burn-in is shaded; R-hat and ESS are of the draws after it. Chains that have converged look alike, and R-hat
    is near 1 (above 1.05 calls for longer chains).

    Parameters
    ----------
    adata
        An object with a fit of `tl.dncb_mf`.
    quantities
        What to show, a panel each: `"log_likelihood"`, `"shape"` (learned ε₁ and ε₂), `("phi", gene,
        component)`, and `("rho", sample, component)`, likewise `"theta1"` and `"theta2"`. Entries of factors
        need the draws (`keep_draws=True`). By default the log likelihood, and ε where it was learned.
    key
        Stem of the fit's keys.
    ax
        Axes to draw on, one for each panel, instead of a new figure.
    show
        Whether to show the figure; by default as scanpy's `settings.autoshow` has it.
    return_fig
        Whether to return the figure instead.

    Returns
    -------
    A list of Axes if `show=False`, the Figure if `return_fig=True`, else None.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(30, 60, rng=0)
    >>> md.tl.dncb_mf(adata, 4, n_burnin=50, n_draws=20, thin=5, n_chains=2, rng=0, keep_draws=True)
    >>> axes = md.pl.trace(adata, ["log_likelihood", ("phi", "HOXA1", 2)], show=False)
    >>> [ax.get_title(loc="left") for ax in axes]
    ['log likelihood', 'φ of HOXA1 in component 2']
    """
    fit = find_fit(adata, key)
    wanted = default_quantities(fit) if quantities is None else list(quantities)
    panels = [chains for quantity in wanted for chains in read_quantity(adata, fit, quantity)]
    if not panels:
        raise ValueError("quantities is empty; pass None for the log likelihood")
    axes = new_grid(len(panels), width=ONE_COLUMN, height=1.7) if ax is None else list(np.atleast_1d(ax))
    if len(axes) != len(panels):
        raise ValueError(f"{len(panels)} panels need {len(panels)} Axes, not {len(axes)}")
    for panel, chains in zip(axes, panels, strict=True):
        _draw_chains(panel, chains)
        plain(panel)
    axes[-1].set_xlabel("sweep")
    n_chains = len(panels[0].values_CE)
    if 1 < n_chains <= _MOST_NAMED:
        axes[0].legend(
            title="chain", fontsize=TICK_SIZE, title_fontsize=TICK_SIZE, frameon=False, ncols=3, handlelength=1
        )
    return finish(axes, show=show, return_fig=return_fig)


def _draw_chains(ax: Axes, chains: Chains) -> None:
    for number, (values, color) in enumerate(zip(chains.values_CE, cycle(GROUPS), strict=False)):
        ax.plot(chains.sweeps, values, color=color, linewidth=0.8, label=str(number))
    if chains.n_draws < len(chains.sweeps):
        ax.axvspan(chains.sweeps[0], chains.sweeps[-chains.n_draws - 1], color="0.93", zorder=0, linewidth=0)
    figures = convergence(chains.of_draws)
    r_hat, ess = float(figures["r_hat"]), float(figures["ess_bulk"])
    ax.set_title(chains.label, loc="left", fontsize=TICK_SIZE)
    verdict = "too few draws for R-hat" if np.isnan(r_hat) else f"R-hat {r_hat:.2f}, ESS {ess:,.0f}"
    ax.set_title(verdict, loc="right", fontsize=TICK_SIZE)
    ax.locator_params(axis="x", nbins=5)
    ax.locator_params(axis="y", nbins=4)
    ax.margins(x=0.01)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from .. import _check
from ..model._predictive import predict_entries
from ._figure import ONE_COLUMN, TICK_SIZE, finish, new_grid, plain
from ._palette import GROUPS, INK
from ._predictive import choose_entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._predictive import Entries

_DATA, _MODEL = GROUPS[4], GROUPS[5]
_LEVELS: Final = np.linspace(0.005, 0.995, 100)


def posterior_predictive(
    adata: AnnData,
    *,
    key: str = "dncb_mf",
    n_entries: int = 10_000,
    n_draws: int = 50,
    rng: np.random.Generator | int | None = 0,
    ax: Sequence[Axes] | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> list[Axes] | Figure | None:
    """Check whether a fit makes data like the data, and whether its intervals hold what they say.

    The first two panels compare β of entries that were fitted with replicates of them, one for each posterior
    draw: as histograms, and quantile against quantile, with the central 90% of the draws as a band. If entries
    were held out (`pp.hold_out`), the third panel shows the share of them that lie in their central predictive
    intervals against the probability of those; on the diagonal, predictions are calibrated.

    Parameters
    ----------
    adata
        An object with a fit that kept its draws (`keep_draws=True`).
    key
        Stem of the fit's keys.
    n_entries, n_draws
        Most entries and draws to use.
    rng
        Seed or generator.
    ax
        Axes to draw on instead of a new figure: two, or three if entries were held out.
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
    >>> md.pp.hold_out(adata, rng=0)
    >>> md.tl.dncb_mf(adata, 4, mask="held_out", n_burnin=50, n_draws=10, thin=5, rng=0, keep_draws=True)
    >>> axes = md.pl.posterior_predictive(adata, show=False)
    >>> axes[2].get_ylabel()
    'share of held-out β inside'
    """
    rng = np.random.default_rng(rng)
    sizes = {
        "n_entries": _check.whole_number("n_entries", n_entries, least=1),
        "n_draws": _check.whole_number("n_draws", n_draws, least=1),
    }
    seen = choose_entries(adata, key=key, rng=rng, **sizes)
    unseen = choose_entries(adata, key=key, rng=rng, held_out=True, **sizes)
    n_panels = 3 if len(unseen.beta_E) else 2
    axes = new_grid(n_panels, n_columns=2, width=ONE_COLUMN, height=1.75) if ax is None else list(np.atleast_1d(ax))
    if len(axes) != n_panels:
        raise ValueError(f"{n_panels} panels need {n_panels} Axes, not {len(axes)}")
    replicate_ES = seen.draws.likelihood.sample(*seen.draws.rates(seen.row_E, seen.column_E), rng)
    _draw_histograms(axes[0], seen.beta_E, replicate_ES)
    _draw_quantiles(axes[1], seen.beta_E, replicate_ES)
    if n_panels == 3:
        _draw_calibration(axes[2], unseen, np.random.SeedSequence(_check.seed_words(rng)))
    for panel in axes:
        plain(panel)
    return finish(axes, show=show, return_fig=return_fig)


def _draw_histograms(ax: Axes, beta_E: np.ndarray, replicate_ES: np.ndarray) -> None:
    bins = {"bins": 40, "range": (0, 1), "density": True}
    ax.hist(beta_E, color=_DATA, linewidth=0, label="data", **bins)
    ax.hist(replicate_ES.ravel(), color=_MODEL, histtype="step", linewidth=1, label="draws", **bins)
    ax.set(xlabel="β", ylabel="density", xlim=(0, 1), xticks=[0, 0.5, 1])
    above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0, "ncols": 2, "columnspacing": 1}
    ax.legend(frameon=False, fontsize=TICK_SIZE, handlelength=1, **above)


def _draw_quantiles(ax: Axes, beta_E: np.ndarray, replicate_ES: np.ndarray) -> None:
    of_data = np.quantile(beta_E, _LEVELS)
    low, middle, high = np.quantile(np.quantile(replicate_ES, _LEVELS, axis=0), [0.05, 0.5, 0.95], axis=1)
    _draw_diagonal(ax)
    ax.fill_between(of_data, low, high, color=_MODEL, alpha=0.3, linewidth=0)
    ax.plot(of_data, middle, color=_MODEL, linewidth=1)
    ax.set(xlabel="quantiles of data", ylabel="quantiles of draws")


def _draw_calibration(ax: Axes, unseen: Entries, seed: np.random.SeedSequence) -> None:
    predicted = predict_entries(
        unseen.draws, unseen.beta_E.clip(1e-12, 1 - 1e-12), unseen.row_E, unseen.column_E, seed=seed
    )
    distance_E = 2 * np.abs(predicted.rank_E - 0.5)
    probability = np.linspace(0, 1, 101)
    share = (distance_E[:, None] <= probability).mean(axis=0)
    error = 1.96 * np.sqrt(probability * (1 - probability) / len(distance_E))
    _draw_diagonal(ax)
    ax.fill_between(probability, probability - error, probability + error, color="0.88", linewidth=0)
    ax.plot(probability, share, color=_MODEL, linewidth=1)
    ax.set(xlabel="probability of interval", ylabel="share of held-out β inside")


def _draw_diagonal(ax: Axes) -> None:
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.6, linestyle=":")
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])

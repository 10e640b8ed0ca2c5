"""Some observed entries of a fit, and what its draws say of them: shared by the plots of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..tl._read import read_fit

if TYPE_CHECKING:
    from anndata import AnnData

    from ..model._predictive import Draws


@dataclass(frozen=True, slots=True)
class Entries:
    """β of some entries (float64), where they are, and the draws of the fit's factors."""

    beta_E: np.ndarray
    row_E: np.ndarray
    column_E: np.ndarray
    draws: Draws


def choose_entries(
    adata: AnnData, *, key: str, n_entries: int, n_draws: int, rng: np.random.Generator, held_out: bool = False
) -> Entries:
    """At most `n_entries` of the entries that the fit has seen, or of those held out from it, at random."""
    fit = read_fit(adata, key=key, draws=n_draws)
    wanted = fit.held_out_NM if held_out else ~np.isnan(fit.beta_NM) & ~fit.held_out_NM
    places = np.flatnonzero(wanted)
    if len(places) > n_entries:
        places = np.sort(rng.choice(places, n_entries, replace=False))
    row_E, column_E = np.unravel_index(places, wanted.shape)
    return Entries(fit.beta_NM[row_E, column_E].astype(np.float64), row_E, column_E, fit.draws)


def predictive_density(entries: Entries, grid: np.ndarray) -> np.ndarray:
    """The density of β over `grid`, averaged over entries and draws."""
    rates = (rate.reshape(1, -1) for rate in entries.draws.rates(entries.row_E, entries.column_E))
    rate1, rate2 = (np.repeat(rate, len(grid), axis=0) for rate in rates)
    return np.exp(entries.draws.likelihood.log_density(grid[:, None], rate1, rate2)).mean(axis=1)

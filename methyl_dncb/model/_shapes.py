"""Learned shapes: ε₁, ε₂ given the counts, which enter only through their histograms.

With h₁, h₂, h₁₂ the histograms of y₁, y₂ and y₁ + y₂ over the observed entries inside (0, 1),

    log p(ε₁, ε₂ | y, β) = Σ h₁₂ lnΓ(ε₁ + ε₂ + n) − Σ h₁ lnΓ(ε₁ + n) − Σ h₂ lnΓ(ε₂ + n)
                           + ε₁ Σ log β + ε₂ Σ log(1 − β) + log prior.

Entries at exactly 0 or 1, where the logarithms are not finite, are left out of this step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from ._histogram import add_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._state import Priors, Shape

STEP = 0.2  # of the slice sampler, in log ε
MOST_STEPS = 50
LOG_RANGE = (np.log(1e-3), np.log(1e3))  # outside, neither the tables nor the density are exact


class Histograms:
    """h₁, h₂ and h₁₂, of as many counts as are needed."""

    def __init__(self) -> None:
        self.counts_3H = np.zeros((3, 64), dtype=np.int64)

    def add(self, beta_NM: np.ndarray, first_NM: np.ndarray, total_NM: np.ndarray) -> None:
        """Add the counts of a block of rows: y₁ and y₁ + y₂."""
        self._reach(int(total_NM.max()) + 1)
        add_counts(beta_NM, first_NM, total_NM, self.counts_3H)

    def merge(self, other: Histograms) -> None:
        """Add another's counts."""
        self._reach(other.counts_3H.shape[1])
        self.counts_3H[:, : other.counts_3H.shape[1]] += other.counts_3H

    def _reach(self, length: int) -> None:
        missing = length - self.counts_3H.shape[1]
        if missing > 0:
            self.counts_3H = np.pad(self.counts_3H, ((0, 0), (0, missing)))


def sum_logs(beta_NM: np.ndarray) -> tuple[float, float]:
    """Σ log β and Σ log(1 − β) over the entries inside (0, 1)."""
    inside = beta_NM[(beta_NM > 0) & (beta_NM < 1)].astype(np.float64)
    return float(np.log(inside).sum()), float(np.log1p(-inside).sum())


def draw_shape(
    shape: Shape,
    histograms: Histograms,
    logs: tuple[float, float],
    priors: Priors,
    bit_generator: np.random.BitGenerator,
) -> Shape:
    """New ε₁ given ε₂, then ε₂ given ε₁, by slice sampling of their logarithms."""
    rng = np.random.Generator(bit_generator)
    first, second, both = (_Histogram(counts) for counts in histograms.counts_3H)
    eps = list(shape)
    for r, own in enumerate((first, second)):

        def log_density(log_eps: float, r: int = r, own: _Histogram = own) -> float:
            value = np.exp(log_eps)
            of_data = both.sum_log_gamma(value + eps[1 - r]) - own.sum_log_gamma(value) + value * logs[r]
            return of_data + priors.s0 * log_eps - priors.t0 * value  # with the Jacobian of the logarithm

        eps[r] = float(np.exp(_slice_sample(np.log(eps[r]), log_density, rng)))
    return eps[0], eps[1]


class _Histogram:
    """The counts that occur, and how often."""

    def __init__(self, counts_H: np.ndarray) -> None:
        self.value = np.flatnonzero(counts_H)
        self.times = counts_H[self.value].astype(np.float64)

    def sum_log_gamma(self, eps: float) -> float:
        return float(self.times @ gammaln(eps + self.value))


def _slice_sample(at: float, log_density: Callable[[float], float], rng: np.random.Generator) -> float:
    """One draw by slice sampling with stepping out and shrinking (Neal 2003, figures 3 and 5)."""
    lowest, highest = LOG_RANGE
    level = log_density(at) - rng.standard_exponential()
    low = at - STEP * rng.random()
    high = low + STEP
    steps_down = int(rng.integers(MOST_STEPS))
    steps_up = MOST_STEPS - 1 - steps_down
    while steps_down > 0 and low > lowest and log_density(low) > level:
        low -= STEP
        steps_down -= 1
    while steps_up > 0 and high < highest and log_density(high) > level:
        high += STEP
        steps_up -= 1
    low, high = max(low, lowest), min(high, highest)
    while True:
        proposal = low + (high - low) * rng.random()
        if log_density(proposal) > level:
            return proposal
        if proposal < at:
            low = proposal
        else:
            high = proposal

"""How well fitted factors predict entries: density, mean and rank of each, over posterior draws.

Letters as in `_state`, and E for entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.special import betaln, hyp1f1, log_ndtr, logsumexp, ndtr, ndtri

from ._blocks import Workers
from ._density import DncbDensity
from ._nmf_frobenius import truncated_gaussian_logpdf

if TYPE_CHECKING:
    from collections.abc import Callable

# Products of float32 draws underflow; a beta parameter must not be 0.
LEAST_RATE = 1e-12

# Entries × components × draws worked on at a time by a thread.
WORK_SIZE = 1 << 21


class Likelihood(Protocol):
    """The distribution of β given its rates λ₁, λ₂ (entries × draws)."""

    def log_density(self, beta_E1: np.ndarray, rate1_ES: np.ndarray, rate2_ES: np.ndarray) -> np.ndarray:
        """Log density at β under each draw."""

    def mean(self, rate1_ES: np.ndarray, rate2_ES: np.ndarray) -> np.ndarray:
        """E[β] under each draw."""

    def sample(self, rate1_ES: np.ndarray, rate2_ES: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A replicate of β under each draw."""

    def rank(
        self, beta_E1: np.ndarray, rate1_ES: np.ndarray, rate2_ES: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Where β stands in its predictive distribution, from 0 to 1; uniform if predictions are calibrated."""


class DncbLikelihood:
    """β ~ DNCB(ε₁, ε₂, λ₁, λ₂), with one pair of shapes, or learned ones: a row for each draw."""

    def __init__(self, shape: np.ndarray | tuple[float, float]) -> None:
        self._shape_S2 = np.atleast_2d(np.asarray(shape, dtype=np.float64))
        self._densities = [DncbDensity(*pair) for pair in self._shape_S2]

    def _shapes(self, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
        """ε₁ and ε₂ of each column of rates; the columns run over draws, perhaps several times."""
        return tuple(np.resize(self._shape_S2.T[r], n_columns) for r in (0, 1))

    def log_density(self, beta_E1, rate1_ES, rate2_ES):
        out_ES = np.empty(rate1_ES.shape)
        logs = np.log(beta_E1), np.log1p(-beta_E1)
        for draw, density in enumerate(self._densities):
            columns = np.s_[:, draw :: len(self._densities)]
            rates = [np.ascontiguousarray(rate_ES[columns]) for rate_ES in (rate1_ES, rate2_ES)]
            arrays = [np.broadcast_to(x, rates[0].shape).ravel() for x in (beta_E1, *logs)]
            part = np.empty(rates[0].size)
            density.evaluate(*arrays, rates[0].ravel(), rates[1].ravel(), part)
            out_ES[columns] = part.reshape(rates[0].shape)
        return out_ES

    def mean(self, rate1_ES, rate2_ES):
        eps1, eps2 = self._shapes(rate1_ES.shape[1])
        total_ES = rate1_ES + rate2_ES
        background_ES = hyp1f1(1.0, 1.0 + eps1 + eps2, -total_ES)
        share_ES = np.divide(rate1_ES, total_ES, out=np.zeros_like(total_ES), where=total_ES > 0)
        return background_ES * eps1 / (eps1 + eps2) + (1 - background_ES) * share_ES

    def sample(self, rate1_ES, rate2_ES, rng):
        eps1, eps2 = self._shapes(rate1_ES.shape[1])
        counts = rng.poisson(rate1_ES), rng.poisson(rate2_ES)
        return rng.beta(eps1 + counts[0], eps2 + counts[1])

    def rank(self, beta_E1, rate1_ES, rate2_ES, rng):
        return _rank_among(beta_E1, self.sample(rate1_ES, rate2_ES, rng), rng)


@dataclass(frozen=True, slots=True)
class BetaLikelihood:
    """β ~ Beta(λ₁, λ₂)."""

    def log_density(self, beta_E1, rate1_ES, rate2_ES):
        powers_ES = (rate1_ES - 1) * np.log(beta_E1) + (rate2_ES - 1) * np.log1p(-beta_E1)
        return powers_ES - betaln(rate1_ES, rate2_ES)

    def mean(self, rate1_ES, rate2_ES):
        return rate1_ES / (rate1_ES + rate2_ES)

    def sample(self, rate1_ES, rate2_ES, rng):
        return rng.beta(rate1_ES, rate2_ES)

    def rank(self, beta_E1, rate1_ES, rate2_ES, rng):
        return _rank_among(beta_E1, self.sample(rate1_ES, rate2_ES, rng), rng)


@dataclass(frozen=True, slots=True)
class TruncatedGaussianLikelihood:
    """β ~ Normal(λ₁, σ²) on (0, ∞)."""

    sigma: float

    def log_density(self, beta_E1, rate1_ES, rate2_ES):
        return truncated_gaussian_logpdf(beta_E1, rate1_ES, self.sigma)

    def mean(self, rate1_ES, rate2_ES):
        z_ES = rate1_ES / self.sigma
        return rate1_ES + self.sigma * np.exp(-0.5 * z_ES**2 - log_ndtr(z_ES)) / np.sqrt(2 * np.pi)

    def sample(self, rate1_ES, rate2_ES, rng):
        above_zero_ES = ndtr(rate1_ES / self.sigma)
        return rate1_ES - self.sigma * ndtri(above_zero_ES * (1 - rng.random(rate1_ES.shape)))

    def rank(self, beta_E1, rate1_ES, rate2_ES, rng):
        above_ES = ndtr((rate1_ES - beta_E1) / self.sigma) / ndtr(rate1_ES / self.sigma)
        return 1 - above_ES.mean(axis=1)


@dataclass(frozen=True, slots=True)
class Predictions:
    """One value per entry."""

    log_density_E: np.ndarray
    mean_E: np.ndarray
    rank_E: np.ndarray


@dataclass(frozen=True, slots=True)
class Draws:
    """Draws of the factors, and the likelihood that turns their products into β."""

    likelihood: Likelihood
    theta1_NKS: np.ndarray
    theta2_NKS: np.ndarray
    phi_MKS: np.ndarray

    def rates(self, row_E: np.ndarray, column_E: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """λ₁ and λ₂ of some entries, entries × draws."""
        phi_EKS = self.phi_MKS[column_E]
        return tuple(
            np.maximum(np.einsum("eks,eks->es", theta_NKS[row_E], phi_EKS).astype(np.float64), LEAST_RATE)
            for theta_NKS in (self.theta1_NKS, self.theta2_NKS)
        )

    def log_density(self, beta_E: np.ndarray, row_E: np.ndarray, column_E: np.ndarray) -> np.ndarray:
        """Log density of entries under each draw, entries × draws."""
        return self.likelihood.log_density(beta_E[:, None], *self.rates(row_E, column_E))

    def predict(
        self, beta_E: np.ndarray, row_E: np.ndarray, column_E: np.ndarray, rng: np.random.Generator
    ) -> Predictions:
        """Average over draws: the density inside the logarithm, the mean, the rank."""
        rates = self.rates(row_E, column_E)
        log_density_ES = self.likelihood.log_density(beta_E[:, None], *rates)
        return Predictions(
            logsumexp(log_density_ES, axis=1) - np.log(log_density_ES.shape[1]),
            self.likelihood.mean(*rates).mean(axis=1),
            self.likelihood.rank(beta_E[:, None], *rates, rng),
        )

    def over_entries(self, n_entries: int, work: Callable[[slice, int], None], n_jobs: int) -> None:
        """Call `work(entries, number)` for consecutive parts of the entries, over threads."""
        step = max(1, WORK_SIZE // self.phi_MKS[0].size)
        parts = list(enumerate(slice(start, start + step) for start in range(0, n_entries, step)))

        def do_parts(parts, _worker):
            for number, entries in parts:
                work(entries, number)

        with Workers(n_jobs) as workers:
            workers.share(do_parts, parts)


def predict_entries(
    draws: Draws,
    beta_E: np.ndarray,
    row_E: np.ndarray,
    column_E: np.ndarray,
    *,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
) -> Predictions:
    """Predict entries by parts; each part has a generator of its own, so threads do not change the result."""
    out = Predictions(*(np.empty(len(beta_E)) for _ in range(3)))

    def work(entries: slice, number: int) -> None:
        rng = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number)))
        part = draws.predict(beta_E[entries], row_E[entries], column_E[entries], rng)
        out.log_density_E[entries] = part.log_density_E
        out.mean_E[entries] = part.mean_E
        out.rank_E[entries] = part.rank_E

    draws.over_entries(len(beta_E), work, n_jobs)
    return out


def _rank_among(beta_E1: np.ndarray, replicate_ES: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A rank that is exactly uniform if β is exchangeable with its replicates."""
    below_E = (replicate_ES < beta_E1).sum(axis=1)
    return (below_E + rng.random(len(below_E))) / (replicate_ES.shape[1] + 1)

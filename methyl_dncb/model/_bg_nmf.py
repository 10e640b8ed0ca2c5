"""Beta–gamma NMF by variational inference.

The model (Ma et al. 2015) is β ~ Beta(a, b), a = Σ_k θ⁽¹⁾_k φ_k, b = Σ_k θ⁽²⁾_k φ_k, all factors gamma. The
beta's normaliser lnΓ(a+b) − lnΓ(a) − lnΓ(b) has no expectation in closed form, so it is bounded from below
by three nested bounds, each tight at a point that is then chosen best:

1. With lnΓ(x) = lnΓ(1+x) − ln x it is G(a, b) + ln a + ln b − ln(a+b), where
   G = lnΓ(1+a+b) − lnΓ(1+a) − lnΓ(1+b). G + τ(a+b) with τ = 1 − ln 2 is convex in (ln a, ln b), so it lies
   above its tangent planes there, whose slopes are positive.
2. −ln(a+b) lies above its tangents in a+b.
3. E[ln Σ_k x_k] ≥ ln Σ_k exp E[ln x_k] (Jensen).

What is left is linear in E[θ], E[φ] and their expected logarithms, so gamma posteriors are conjugate to it,
and every update raises the bound. Slopes of the plain normaliser in (ln a, ln b) alone would give no bound:
it is not convex there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, psi
from threadpoolctl import threadpool_limits

from ._beta_bound import bound_terms
from ._blocks import Workers, row_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._state import Priors


@dataclass(slots=True)
class Gammas:
    """Independent gamma distributions, by shape and rate."""

    shape: np.ndarray
    rate: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """E[x]."""
        return self.shape / self.rate

    @property
    def geometric(self) -> np.ndarray:
        """Exp E[log x]."""
        return np.exp(psi(self.shape)) / self.rate

    def divergence(self, shape0: float, rate0: float) -> float:
        """KL divergence from Gamma(shape0, rate0), summed."""
        shape, rate = self.shape, self.rate
        terms = (shape - shape0) * psi(shape) - gammaln(shape) + gammaln(shape0)
        terms += shape0 * np.log(rate / rate0) + shape * (rate0 / rate - 1)
        return float(terms.sum())

    def draw(self, n_draws: int, rng: np.random.Generator) -> np.ndarray:
        """Draws, on the last axis."""
        draws = rng.standard_gamma(self.shape[..., None], (*self.shape.shape, n_draws))
        # A gamma of small shape underflows, and a rate of exactly 0 is not a beta parameter.
        return np.maximum(draws / self.rate[..., None], np.finfo(np.float32).tiny)


@dataclass(slots=True)
class BgNmf:
    """Fitted posteriors, the bound after each iteration, and whether it had settled."""

    theta1: Gammas
    theta2: Gammas
    phi: Gammas
    bound: np.ndarray
    converged: bool


def fit_bg_nmf(
    beta_NM: np.ndarray,
    n_components: int,
    *,
    priors: Priors,
    n_iterations: int,
    tol: float,
    rng: np.random.Generator,
    n_jobs: int = 1,
    report: Callable[[float], None] = lambda _bound: None,
) -> BgNmf:
    """Climb the bound until an iteration raises it by less than `tol` per observed entry (NaN is missing).

    `report` is called in every iteration with the bound per observed entry.
    """
    logs_NM = np.log(beta_NM, dtype=np.float64), np.log1p(-beta_NM, dtype=np.float64)
    n_observed = beta_NM.size - int(np.isnan(beta_NM).sum())
    theta1, theta2, phi = _start(beta_NM, n_components, rng)
    trace: list[float] = []
    converged = False
    # Row blocks are what runs in parallel; a BLAS with threads of its own would fight them for the cores.
    with Workers(n_jobs) as workers, threadpool_limits(1, "blas"):
        while len(trace) < n_iterations and not converged:
            bound = -sum(theta.divergence(priors.a0, priors.b0) for theta in (theta1, theta2))
            bound -= phi.divergence(priors.e0, priors.f0)
            bound += _iterate(logs_NM, (theta1, theta2), phi, priors, workers)
            trace.append(bound)
            report(bound / n_observed)
            converged = len(trace) > 1 and trace[-1] - trace[-2] < tol * n_observed
    return BgNmf(theta1, theta2, phi, np.array(trace), converged)


def _iterate(logs_NM, thetas, phi, priors, workers) -> float:
    """Update θ and φ in place; the data's part of the bound as it was before."""
    blocks = row_blocks(*logs_NM[0].shape)
    geo_phi_KM, mean_phi_KM = phi.geometric, phi.mean
    parts: list[tuple[float, np.ndarray, np.ndarray]] = [None] * len(blocks)

    def update_blocks(blocks, _worker):
        for block in blocks:
            logs = [log_NM[block.slice] for log_NM in logs_NM]
            rows = [Gammas(theta.shape[block.slice], theta.rate[block.slice]) for theta in thetas]
            parts[block.number] = _update_rows(logs, rows, geo_phi_KM, mean_phi_KM, priors)

    workers.share(update_blocks, blocks)
    # Added in the order of the blocks: any number of threads gives the same bits.
    bounds, shapes_KM, rates_KM = zip(*parts, strict=True)
    phi.shape[:] = priors.e0 + geo_phi_KM * sum(shapes_KM)
    phi.rate[:] = priors.f0 + sum(rates_KM)
    return sum(bounds)


def _update_rows(logs, thetas, geo_phi_KM, mean_phi_KM, priors) -> tuple[float, np.ndarray, np.ndarray]:
    """Update θ of some rows in place; their part of the bound and of the shapes and rates of φ."""
    geo_theta = [theta.geometric for theta in thetas]
    # Each is a mean of a or b on the way in, and a slope of the bound in it on the way out.
    geo = [g @ geo_phi_KM for g in geo_theta]
    mean = [theta.mean @ mean_phi_KM for theta in thetas]
    bound = bound_terms(*logs, *geo, *mean)
    shape_KM, rate_KM = np.zeros_like(geo_phi_KM), np.zeros_like(geo_phi_KM)
    for theta, g, slope_log, slope in zip(thetas, geo_theta, geo, mean, strict=True):
        theta.shape[:] = priors.a0 + g * (slope_log @ geo_phi_KM.T)
        theta.rate[:] = priors.b0 + slope @ mean_phi_KM.T
        shape_KM += g.T @ slope_log
        rate_KM += theta.mean.T @ slope
    return bound, shape_KM, rate_KM


def _start(beta_NM, n_components, rng) -> tuple[Gammas, Gammas, Gammas]:
    """Components that are alike up to noise, at the mean and the concentration of all β taken together."""
    mean, variance = float(np.nanmean(beta_NM)), float(np.nanvar(beta_NM))
    concentration = np.clip(mean * (1 - mean) / max(variance, 1e-6) - 1, 0.1, 1e3)

    def noisy(level: float, size: tuple[int, int]) -> Gammas:
        shape = np.full(size, 10.0)
        return Gammas(shape, shape / (level * (rng.gamma(2.0, 0.5, size) + 1e-3)))

    n_obs, n_vars = beta_NM.shape
    return (
        noisy(mean * concentration, (n_obs, n_components)),
        noisy((1 - mean) * concentration, (n_obs, n_components)),
        noisy(1 / n_components, (n_components, n_vars)),
    )

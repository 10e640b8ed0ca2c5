"""Least-squares NMF over the observed entries, and its predictive density."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr

if TYPE_CHECKING:
    from collections.abc import Callable


def refine_over_observed(
    beta_NM: np.ndarray,
    weight_NK: np.ndarray,
    phi_KM: np.ndarray,
    *,
    n_iterations: int,
    tol: float,
    report: Callable[[float], None] = lambda _loss: None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower the squared error at the observed entries (NaN is missing) from a given start.

    Missing entries stand at their current prediction, where they add nothing to the error, while one pass of
    coordinate descent lowers the error over all entries; so the error over observed ones never rises.
    Stops when an iteration lowers it by less than `tol` of itself.

    Returns
    -------
    weights, φ, and the mean squared error before each iteration
    """
    missing_NM = np.isnan(beta_NM)
    n_observed = beta_NM.size - int(missing_NM.sum())
    filled_NM = beta_NM.astype(np.float64)
    weight_NK, phi_KM = weight_NK.astype(np.float64), phi_KM.astype(np.float64)
    losses: list[float] = []
    for _ in range(n_iterations):
        fitted_NM = weight_NK @ phi_KM
        filled_NM[missing_NM] = fitted_NM[missing_NM]
        fitted_NM -= filled_NM
        losses.append(float(np.vdot(fitted_NM, fitted_NM)) / n_observed)
        report(losses[-1])
        if len(losses) > 1 and losses[-2] - losses[-1] < tol * losses[-2]:
            break
        _descend(weight_NK, filled_NM @ phi_KM.T, phi_KM @ phi_KM.T)
        _descend(phi_KM.T, filled_NM.T @ weight_NK, weight_NK.T @ weight_NK)
    return weight_NK, phi_KM, np.array(losses)


def _descend(factor: np.ndarray, target: np.ndarray, gram: np.ndarray) -> None:
    """One pass of non-negative coordinate descent for |factor·other − data|², in place."""
    for k in np.flatnonzero(gram.diagonal() > 0):
        factor[:, k] += (target[:, k] - factor @ gram[:, k]) / gram[k, k]
        np.maximum(factor[:, k], 0, out=factor[:, k])


def truncated_gaussian_logpdf(x: np.ndarray, mean: np.ndarray, sigma: float) -> np.ndarray:
    """Log density of a Gaussian truncated to (0, ∞)."""
    z = (x - mean) / sigma
    return -0.5 * z * z - np.log(sigma * np.sqrt(2 * np.pi)) - log_ndtr(mean / sigma)

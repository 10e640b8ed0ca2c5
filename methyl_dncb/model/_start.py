"""Where a chain starts: the prior, or a masked KL-NMF."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._blocks import COLUMNS_PER_BLOCK, column_blocks, row_blocks
from ._nmf_start import update_phi_block, update_theta_block

if TYPE_CHECKING:
    from ._blocks import Workers
    from ._state import Problem

Factors = tuple[np.ndarray, np.ndarray, np.ndarray]

NMF_SCALE = 5.0  # β = 0.5 becomes two pseudo-counts of 2.5
NMF_ITERATIONS = 100


def draw_from_prior(problem: Problem, rng: np.random.Generator) -> Factors:
    """(θ₁, θ₂, φ) from their gamma priors, φ as genes × components."""
    (N, M), K, prior = problem.beta_NM.shape, problem.n_components, problem.priors
    theta = rng.gamma(prior.a0, 1.0 / prior.b0, size=(2, N, K))
    return theta[0], theta[1], rng.gamma(prior.e0, 1.0 / prior.f0, size=(M, K))


def factorise_kl(problem: Problem, rng: np.random.Generator, workers: Workers) -> Factors:
    """KL-NMF of [cβ ; c(1 − β)] with shared φ over the observed entries, from a random start."""
    beta, K = problem.beta_NM, problem.n_components
    N, M = beta.shape
    theta1, theta2 = rng.uniform(0.5, 1.5, size=(2, N, K))
    phi_KM = rng.uniform(0.5, 1.5, size=(K, M)).astype(np.float32)

    def update_columns(blocks, _worker):
        gain, seen = np.empty((2, K, COLUMNS_PER_BLOCK))
        for block in blocks:
            update_phi_block(beta, theta1, theta2, phi_KM, gain, seen, block.start, block.stop, NMF_SCALE)

    for _ in range(NMF_ITERATIONS):
        _update_theta(beta, theta1, theta2, phi_KM, workers)
        workers.share(update_columns, column_blocks(M))
    return theta1, theta2, phi_KM.T


def fit_theta_kl(problem: Problem, phi_MK: np.ndarray, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
    """θ₁, θ₂ of the same factorisation, for a φ that is given."""
    theta1, theta2 = np.ones((2, problem.beta_NM.shape[0], problem.n_components))
    phi_KM = np.ascontiguousarray(phi_MK.T, dtype=np.float32)
    for _ in range(NMF_ITERATIONS):
        _update_theta(problem.beta_NM, theta1, theta2, phi_KM, workers)
    return theta1, theta2


def _update_theta(
    beta_NM: np.ndarray, theta1_NK: np.ndarray, theta2_NK: np.ndarray, phi_KM: np.ndarray, workers: Workers
) -> None:
    def update_rows(blocks, _worker):
        scratch = np.empty((3, phi_KM.shape[0]))
        for block in blocks:
            rows = block.slice
            update_theta_block(beta_NM[rows], theta1_NK[rows], theta2_NK[rows], phi_KM, scratch, NMF_SCALE)

    workers.share(update_rows, row_blocks(*beta_NM.shape))

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

NMF_SCALE = 5.0  # any value would do: the factors are brought to the data's scale afterwards
FEWEST_COUNTS, MOST_COUNTS = 1.0, 1000.0
NMF_STARTS = 6
NMF_SCREENING = 30  # iterations of each start, before the best goes on
NMF_ITERATIONS = 100


def draw_from_prior(problem: Problem, rng: np.random.Generator) -> Factors:
    """(θ₁, θ₂, φ) from their gamma priors, φ as genes × components."""
    (N, M), K, prior = problem.beta_NM.shape, problem.n_components, problem.priors
    theta = rng.gamma(prior.a0, 1.0 / prior.b0, size=(2, N, K))
    return theta[0], theta[1], rng.gamma(prior.e0, 1.0 / prior.f0, size=(M, K))


def factorise_kl(problem: Problem, rng: np.random.Generator, workers: Workers) -> Factors:
    """KL-NMF of [cβ ; c(1 − β)] with shared φ over the observed entries, from the best of several random starts.

    Chains seldom leave the neighbourhood that they start in, so a start is worth choosing.
    """
    N, M = problem.beta_NM.shape
    starts = []
    for _ in range(NMF_STARTS):
        theta1, theta2 = rng.uniform(0.5, 1.5, size=(2, N, problem.n_components))
        phi_KM = rng.uniform(0.5, 1.5, size=(problem.n_components, M)).astype(np.float32)
        start = theta1, theta2, phi_KM
        _update_all(problem.beta_NM, *start, NMF_SCREENING, workers)
        starts.append((_divergence(problem.beta_NM, *start), start))
    _, (theta1, theta2, phi_KM) = min(starts, key=lambda pair: pair[0])
    _update_all(problem.beta_NM, theta1, theta2, phi_KM, NMF_ITERATIONS, workers)
    return _match_noise(problem, theta1 / NMF_SCALE, theta2 / NMF_SCALE, phi_KM.T.astype(np.float64))


def _update_all(
    beta: np.ndarray, theta1: np.ndarray, theta2: np.ndarray, phi_KM: np.ndarray, n_iterations: int, workers: Workers
) -> None:
    def update_columns(blocks, _worker):
        gain, seen = np.empty((2, phi_KM.shape[0], COLUMNS_PER_BLOCK))
        for block in blocks:
            update_phi_block(beta, theta1, theta2, phi_KM, gain, seen, block.start, block.stop, NMF_SCALE)

    for _ in range(n_iterations):
        _update_theta(beta, theta1, theta2, phi_KM, workers)
        workers.share(update_columns, column_blocks(beta.shape[1]))


def _divergence(beta: np.ndarray, theta1: np.ndarray, theta2: np.ndarray, phi_KM: np.ndarray) -> float:
    """The part of the KL divergence that depends on the factors."""
    total = 0.0
    for block in row_blocks(*beta.shape):
        rows = block.slice
        rate1, rate2 = theta1[rows] @ phi_KM, theta2[rows] @ phi_KM
        share = NMF_SCALE * beta[rows]
        terms = rate1 + rate2 - share * np.log(rate1) - (NMF_SCALE - share) * np.log(rate2)
        total += float(np.nansum(terms))
    return total


def _match_noise(problem: Problem, theta1: np.ndarray, theta2: np.ndarray, phi_MK: np.ndarray) -> Factors:
    """Scale the loadings of each sample and the weights of each gene so that the rates fit the noise of the data.

    NMF says where β lies, m = λ₁/(λ₁ + λ₂), not how closely it keeps to it. As Var β ≈ m(1 − m)/(1 + ε + λ₁ + λ₂),
    the squared residuals do. A sampler that had to find the scale would take hundreds of sweeps on clean data.
    """
    beta = problem.beta_NM
    N, M = beta.shape
    spread_N, error_N, spread_M, error_M = np.zeros(N), np.zeros(N), np.zeros(M), np.zeros(M)
    for block in row_blocks(N, M):
        rows = block.slice
        rate1, rate2 = theta1[rows] @ phi_MK.T, theta2[rows] @ phi_MK.T
        mean = rate1 / (rate1 + rate2)
        spread = np.where(np.isnan(beta[rows]), 0.0, mean * (1.0 - mean))
        error = np.nan_to_num((beta[rows] - mean) ** 2)
        spread_N[rows], error_N[rows] = spread.sum(axis=1), error.sum(axis=1)
        spread_M += spread.sum(axis=0)
        error_M += error.sum(axis=0)

    def counts(spread: np.ndarray, error: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = spread / error - 1.0 - sum(problem.shape)
        return np.clip(np.nan_to_num(found, nan=FEWEST_COUNTS), FEWEST_COUNTS, MOST_COUNTS)

    of_sample = counts(spread_N, error_N)[:, None]
    of_gene = (counts(spread_M, error_M) / counts(spread_N.sum(), error_N.sum()))[:, None]
    theta1, theta2, phi_MK = theta1 * of_sample, theta2 * of_sample, phi_MK * of_gene
    # θ and φ share a scale that only their priors know: begin in the middle.
    ratio_K = np.sqrt((theta1 + theta2).mean(axis=0) / (2.0 * phi_MK.mean(axis=0)))
    return theta1 / ratio_K, theta2 / ratio_K, phi_MK * ratio_K


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

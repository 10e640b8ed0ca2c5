"""Matching components: the posterior does not know their order, an average over draws must.

Draws are matched along each chain, then chains with one another, by optimal assignment on φ. An assignment
always finds a partner; whether it is the right one is checked and reported as a stability score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

if TYPE_CHECKING:
    from ._trace import Draws

ROUNDS = 5


def _as_distributions(phi_MK: np.ndarray) -> np.ndarray:
    """√(φ / Σ_j φ): the inner product of two columns is their Bhattacharyya affinity, between 0 and 1."""
    phi_MK = phi_MK.astype(np.float64)
    return np.sqrt(phi_MK / phi_MK.sum(axis=0))


def affinity(phi_MK: np.ndarray, reference_MK: np.ndarray) -> np.ndarray:
    """Affinities of components, reference × φ."""
    return _as_distributions(reference_MK).T @ _as_distributions(phi_MK)


def match_components(phi_MK: np.ndarray, reference_MK: np.ndarray) -> np.ndarray:
    """The order of φ's components that agrees best with the reference's (optimal assignment)."""
    return linear_sum_assignment(affinity(phi_MK, reference_MK), maximize=True)[1]


def align_draws(draws: Draws) -> np.ndarray:
    """Reorder the components of every draw in place to agree with one another; the stability of each component."""
    n_chains, n_draws = draws.scale_KCD.shape[1:]
    for chain in range(n_chains):
        _align(
            [draws.phi_MKCD[:, :, chain, draw] for draw in range(n_draws)],
            lambda draw, order, chain=chain: draws.reorder(chain, draw, order),
            start=n_draws - 1,
        )
    means = [draws.phi_MKCD[:, :, chain].mean(axis=2, dtype=np.float64) for chain in range(n_chains)]

    def reorder_chain(chain: int, order: np.ndarray) -> None:
        means[chain][:] = means[chain][:, order]
        draws.reorder(chain, slice(None), order)

    _align(means, reorder_chain, start=0)
    return stability(draws.phi_MKCD)


def _align(phis, reorder, *, start: int) -> None:
    """Match each of `phis` (views) with their common mean, which sharpens as they fall into line."""
    reference = phis[start]
    for _ in range(ROUNDS):
        moved = False
        for number, phi_MK in enumerate(phis):
            order = match_components(phi_MK, reference)
            if not np.array_equal(order, np.arange(order.size)):
                moved = True
                reorder(number, order)
        reference = sum(phi_MK.astype(np.float64) for phi_MK in phis) / len(phis)
        if not moved:
            break


def stability(phi_MKCD: np.ndarray) -> np.ndarray:
    """How surely each component is found again: 1 is always and alike, 0 never.

    Every draw is held against the mean of every other chain (of a single chain: against the mean of its other
    half). A match counts with its affinity if both components are each other's nearest, and with 0 if another
    component is as near: the optimal assignment was then ambiguous. NaN for a single draw.
    """
    M, K, n_chains, n_draws = phi_MKCD.shape
    if n_chains == 1:
        if n_draws < 2:
            return np.full(K, np.nan)
        half = n_draws // 2
        phi_MKCD = phi_MKCD[:, :, 0, n_draws - 2 * half :].reshape(M, K, 2, half)
    means = [_as_distributions(of_chain.mean(axis=2)) for of_chain in np.moveaxis(phi_MKCD, 2, 0)]
    scores = []
    for chain, of_chain in enumerate(np.moveaxis(phi_MKCD, 2, 0)):
        for draw in np.moveaxis(of_chain, 2, 0):
            own = _as_distributions(draw)
            scores += [_confirmed(mean.T @ own) for other, mean in enumerate(means) if other != chain]
    return np.mean(scores, axis=0)


def _confirmed(affinity_KK: np.ndarray) -> np.ndarray:
    """The affinity of each match where it is the largest of its row and its column, else 0."""
    matched = np.diagonal(affinity_KK)
    largest = np.maximum(affinity_KK.max(axis=0), affinity_KK.max(axis=1))
    return np.where(matched >= largest, matched, 0.0)

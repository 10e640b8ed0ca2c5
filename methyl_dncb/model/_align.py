"""Matching components: the posterior does not know their order, an average over draws must."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

if TYPE_CHECKING:
    from ._state import Trace

ROUNDS = 3


def _as_distributions(phi_MK: np.ndarray) -> np.ndarray:
    """√(φ / Σ_j φ): the inner product of two columns is their Bhattacharyya affinity, between 0 and 1."""
    phi_MK = phi_MK.astype(np.float64)
    return np.sqrt(phi_MK / phi_MK.sum(axis=0))


def match_components(phi_MK: np.ndarray, reference_MK: np.ndarray) -> np.ndarray:
    """The order of φ's components that agrees best with the reference's (optimal assignment)."""
    affinity = _as_distributions(reference_MK).T @ _as_distributions(phi_MK)
    return linear_sum_assignment(affinity, maximize=True)[1]


def align_draws(trace: Trace) -> None:
    """Reorder the components of every draw, in place, to agree with their common mean."""
    S = trace.phi_MKS.shape[2]
    reference = trace.phi_MKS[:, :, trace.n_draws - 1]
    for _ in range(ROUNDS):
        moved = False
        for s in range(S):
            order = match_components(trace.phi_MKS[:, :, s], reference)
            if not np.array_equal(order, np.arange(order.size)):
                moved = True
                for draws in (trace.theta1_NKS, trace.theta2_NKS, trace.phi_MKS):
                    draws[:, :, s] = draws[:, order, s]
        reference = trace.phi_MKS.mean(axis=2)
        if not moved:
            break

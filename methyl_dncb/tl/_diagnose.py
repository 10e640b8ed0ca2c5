"""Convergence figures by arviz-stats, on plain arrays of chains × draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

FEWEST_DRAWS = 4  # per chain; with fewer, split chains have no variance to compare


def split_r_hat(values_CS: np.ndarray) -> float:
    """Rank-normalised split R-hat; a single chain is compared with itself, half against half.

    NaN where there are too few draws to tell.
    """
    from arviz_stats.base import array_stats

    if len(values_CS) == 1:
        half = values_CS.shape[1] // 2
        values_CS = values_CS[0, -2 * half :].reshape(2, half)
    return float(array_stats.rhat(values_CS)) if values_CS.shape[1] >= FEWEST_DRAWS else float("nan")


def effective_size(values_CS: np.ndarray) -> float:
    """Bulk effective sample size; NaN where there are too few draws to tell."""
    from arviz_stats.base import array_stats

    return float(array_stats.ess(values_CS)) if values_CS.shape[1] >= FEWEST_DRAWS else float("nan")

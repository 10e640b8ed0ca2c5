"""The order of rows and columns in a heatmap: like next to like."""

from __future__ import annotations

import numpy as np

MOST_CLUSTERED = 4000  # rows; the distances between more would fill the memory


def leaf_order(values: np.ndarray) -> np.ndarray:
    """The rows of `values` in the order of an average-linkage tree, missing values filled by column means.

    Very many rows are ordered by their first principal component.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    n_rows = len(values)
    if n_rows < 3:
        return np.arange(n_rows)
    filled = _fill(values)
    if n_rows > MOST_CLUSTERED:
        centred = filled - filled.mean(axis=0)
        _, axes = np.linalg.eigh(centred.T @ centred)
        return np.argsort(centred @ axes[:, -1], kind="stable")
    # The optimal order takes cubic time; it is worth it where leaves are read one by one.
    return leaves_list(linkage(filled, method="average", optimal_ordering=n_rows <= 60))


def _fill(values: np.ndarray) -> np.ndarray:
    missing = np.isnan(values)
    if not missing.any():
        return values
    counts = np.maximum((~missing).sum(axis=0), 1)
    means = np.where(missing, 0, values).sum(axis=0) / counts
    return np.where(missing, means, values)

"""Matrices of an AnnData a block of rows at a time, dense whatever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anndata import AnnData

ENTRIES = 1 << 22


def find_layer(adata: AnnData, name: str) -> Any:
    """A layer, or an error that names those there are."""
    if name not in adata.layers:
        known = ", ".join(map(repr, adata.layers)) or "none"
        raise ValueError(f"there is no layer {name!r} (layers: {known}); io.read_calls makes layers of counts")
    return adata.layers[name]


def dense_rows(*matrices: Any) -> Iterator[tuple[slice, list[np.ndarray]]]:
    """The same rows of each matrix, as arrays."""
    n_rows, n_columns = matrices[0].shape
    step = max(1, ENTRIES // max(n_columns, 1))
    for first in range(0, n_rows, step):
        rows = slice(first, min(first + step, n_rows))
        blocks = [matrix[rows] for matrix in matrices]
        yield rows, [block.toarray() if sparse.issparse(block) else np.asarray(block) for block in blocks]


def moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each column: how many entries are observed, their mean, their sample variance (or NaN)."""
    n_columns = values.shape[1]
    n, total = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns)
    for _, (block,) in dense_rows(values):
        observed = ~np.isnan(block)
        n += observed.sum(axis=0)
        total += np.where(observed, block, 0).sum(axis=0, dtype=np.float64)
    mean = np.divide(total, n, out=np.full(n_columns, np.nan), where=n > 0)
    # A second pass: sums of squares alone would lose the variance of nearly constant genes.
    squares = np.zeros(n_columns)
    for _, (block,) in dense_rows(values):
        squares += np.nansum((block - mean) ** 2, axis=0)
    variance = np.divide(squares, n - 1, out=np.full(n_columns, np.nan), where=n > 1)
    return n, mean, variance

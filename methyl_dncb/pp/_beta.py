from __future__ import annotations

import warnings
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from .._check import whole_number
from .._data import make_actual
from .._keys import METHYLATED, UNMETHYLATED
from ._rows import dense_rows, find_layer

if TYPE_CHECKING:
    from anndata import AnnData


def beta(
    adata: AnnData,
    *,
    smoothing: float = 0.1,
    min_coverage: int = 1,
    methylated: str = METHYLATED,
    unmethylated: str = UNMETHYLATED,
    copy: bool = False,
) -> AnnData | None:
    """Turn counts into β: (s₀ + d) / (2 s₀ + d + u) for d methylated and u unmethylated reads.

    The paper's formula gives 0.5 where there are no reads. Such an entry says nothing, and the model can do
    without it, so entries with fewer than `min_coverage` reads become NaN (missing) here.

    Parameters
    ----------
    adata
        Counts in two layers, as :func:`methyl_dncb.io.read_calls` returns them.
    smoothing
        s₀, which keeps β off 0 and 1; the paper's 0.1.
    min_coverage
        Least number of reads of an entry; 0 keeps the paper's 0.5.
    methylated, unmethylated
        Names of the layers, dense or sparse.
    copy
        Whether to return a copy instead of writing into `adata`.

    Returns
    -------
    AnnData or None
        None, or the copy. Sets `X`: float32, dense.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> import methyl_dncb as md
    >>> counts = {"methylated": np.array([[9, 0]]), "unmethylated": np.array([[0, 0]])}
    >>> adata = anndata.AnnData(shape=(1, 2), layers=counts)
    >>> md.pp.beta(adata)
    >>> adata.X.round(3)
    array([[0.989,   nan]], dtype=float32)
    """
    if isinstance(smoothing, bool) or not isinstance(smoothing, Real):
        raise TypeError(f"smoothing is {smoothing!r}; give a number, such as the paper's 0.1")
    if not 0 <= smoothing < np.inf:
        raise ValueError(f"smoothing is {smoothing}; give a finite number that is not negative")
    least = whole_number("min_coverage", min_coverage, least=0)
    if least == 0 and smoothing == 0:
        raise ValueError("min_coverage=0 with smoothing=0 would divide 0 by 0; raise one of them")
    counts = [find_layer(adata, name) for name in (methylated, unmethylated)]
    values = np.empty(adata.shape, dtype=np.float32)
    for rows, (d, u) in dense_rows(*counts):
        _check_counts(d, methylated)
        _check_counts(u, unmethylated)
        total = d.astype(np.float64) + u
        with np.errstate(invalid="ignore"):
            values[rows] = (smoothing + d) / (2 * smoothing + total)
        values[rows][total < least] = np.nan
    if values.size and np.isnan(values).all():
        warnings.warn(f"no entry has min_coverage={least} reads, so every β is missing", stacklevel=2)
    if copy:
        adata = adata.copy()
    make_actual(adata)
    adata.X = values
    return adata if copy else None


def _check_counts(counts: np.ndarray, name: str) -> None:
    if not np.all(counts >= 0):
        raise ValueError(f"layers[{name!r}] holds negative or missing counts; reads are whole numbers from 0")

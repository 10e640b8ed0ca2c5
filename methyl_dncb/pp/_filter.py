"""What `filter_regions` and `filter_samples` share: the same criteria along either axis."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from scanpy import logging as logg
from scipy import sparse

from .._data import read_betas
from .._keys import FILTERED, METHYLATED, UNMETHYLATED
from ._rows import find_layer

if TYPE_CHECKING:
    from anndata import AnnData


def filter_axis(
    adata: AnnData, *, axis: int, max_missing: float | None, min_reads: float | None, layer: str | None
) -> None:
    """Drop samples (axis 0) or regions (axis 1), log what went and keep the record in `uns`."""
    what = ("samples", "regions")[axis]
    if max_missing is None and min_reads is None:
        raise ValueError("nothing to filter by; give max_missing or min_mean_reads")
    faults: dict[str, np.ndarray] = {}
    if max_missing is not None:
        if isinstance(max_missing, bool) or not isinstance(max_missing, Real) or not 0 <= max_missing <= 1:
            raise ValueError(f"max_missing is {max_missing!r}; it is a share, from 0 to 1")
        values = read_betas(adata, layer=layer, mask_var=None).beta_NM
        faults["missing"] = np.isnan(values).mean(axis=1 - axis) > max_missing
    if min_reads is not None:
        if isinstance(min_reads, bool) or not isinstance(min_reads, Real) or not min_reads >= 0:
            raise ValueError(f"min_mean_reads is {min_reads!r}; it is a number of reads, from 0")
        faults["coverage"] = _mean_reads(adata, axis) < min_reads
    gone = np.logical_or.reduce(list(faults.values()))
    if gone.all():
        raise ValueError(f"all {len(gone)} {what} would go; loosen the criteria")
    names = (adata.obs_names, adata.var_names)[axis][gone]
    counts = {reason: int(fault.sum()) for reason, fault in faults.items()}
    logg.info(f"filtered out {gone.sum()} of {len(gone)} {what} ({counts})")
    record = {
        "n_before": len(gone),
        "n_after": int((~gone).sum()),
        "by": counts,
        "names": names.to_numpy(object),
    }
    (adata._inplace_subset_obs, adata._inplace_subset_var)[axis](~gone)
    adata.uns[FILTERED] = {**adata.uns.get(FILTERED, {}), what: record}


def _mean_reads(adata: AnnData, axis: int) -> np.ndarray:
    """Reads per entry, whether covered or not."""
    total = np.zeros(adata.shape[axis])
    for name in (METHYLATED, UNMETHYLATED):
        layer = find_layer(adata, name)
        layer = layer.astype(np.int64) if sparse.issparse(layer) else np.asarray(layer)
        total += np.asarray(layer.sum(axis=1 - axis, dtype=np.int64)).ravel()
    return total / adata.shape[1 - axis]

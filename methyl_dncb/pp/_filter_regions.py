from __future__ import annotations

from typing import TYPE_CHECKING

from ._filter import filter_axis

if TYPE_CHECKING:
    from anndata import AnnData


def filter_regions(
    adata: AnnData,
    *,
    max_missing: float | None = 0.5,
    min_mean_reads: float | None = None,
    layer: str | None = None,
    copy: bool = False,
) -> AnnData | None:
    """Drop regions with too many missing values or too few reads.

    Parameters
    ----------
    adata
        β in `X` or in `layer`; for `min_mean_reads`, counts in `methylated` and `unmethylated`.
    max_missing
        Largest share of missing values that a region may have; None does not look.
    min_mean_reads
        Least number of reads per entry of a region; None does not look.
    layer
        Layer that holds β, if not `X`.
    copy
        Whether to return a copy instead of changing `adata`.

    Returns
    -------
    AnnData or None
        None, or the copy. Sets `uns["filtered"]["regions"]`: `n_before`, `n_after`, how many fell `by` which
        criterion, and their `names`; scanpy's log says the same at verbosity "info".

    Examples
    --------
    >>> import methyl_dncb as md, numpy as np
    >>> adata = md.datasets.simulate_groups(20, 50, rng=0)
    >>> adata.X[:15, 3] = np.nan
    >>> md.pp.filter_regions(adata, max_missing=0.5)
    >>> adata.shape, adata.uns["filtered"]["regions"]["by"]
    ((20, 49), {'missing': 1})
    """
    if copy:
        adata = adata.copy()
    filter_axis(adata, axis=1, max_missing=max_missing, min_reads=min_mean_reads, layer=layer)
    return adata if copy else None

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._data import make_actual, read_betas
from .._keys import (
    LOG1P_TOTAL_READS,
    MEAN_BETA,
    MEAN_READS,
    METHYLATED,
    MISSING_SHARE,
    N_OBSERVED,
    TOTAL_READS,
    UNMETHYLATED,
    VARIANCE_BETA,
)
from ._rows import dense_rows, moments

if TYPE_CHECKING:
    import pandas as pd
    from anndata import AnnData


def qc_metrics(adata: AnnData, *, layer: str | None = None, copy: bool = False) -> AnnData | None:
    """Describe samples and genes: level, missing values and, where there are counts, coverage.

    Parameters
    ----------
    adata
        β in `X` or in `layer`; counts in the layers `methylated` and `unmethylated`, where there are any.
    layer
        Layer that holds β, if not `X`.
    copy
        Whether to return a copy instead of writing into `adata`.

    Returns
    -------
    AnnData or None
        None, or the copy. Sets in `obs` and in `var`: `n_observed`, `missing_share`, `mean_beta`,
        `variance_beta`; with counts also `total_reads`, `log1p_total_reads` and `mean_reads` (per observed
        entry). Plot them with `scanpy.pl.violin` or `scanpy.pl.scatter`.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(20, 50, rng=0)
    >>> md.pp.qc_metrics(adata)
    >>> adata.obs["n_observed"].unique().tolist(), adata.var["missing_share"].unique().tolist()
    ([50], [0.0])
    """
    values = read_betas(adata, layer=layer, mask_var=None).beta_NM
    reads = _reads(adata, ~np.isnan(values))
    if copy:
        adata = adata.copy()
    make_actual(adata)
    for axis, table in enumerate((adata.obs, adata.var)):
        n_observed, mean, variance = moments(values.T if axis == 0 else values)
        table[N_OBSERVED] = n_observed
        table[MISSING_SHARE] = 1 - n_observed / values.shape[1 - axis]
        table[MEAN_BETA] = mean
        table[VARIANCE_BETA] = variance
        if reads is not None:
            _describe_reads(table, *reads[axis])
    return adata if copy else None


def _reads(adata: AnnData, observed: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Per sample and per gene: all reads, and those of entries whose β is observed."""
    if METHYLATED not in adata.layers or UNMETHYLATED not in adata.layers:
        return None
    of_sample, of_gene = (np.zeros((2, n), dtype=np.int64) for n in adata.shape)
    for rows, blocks in dense_rows(adata.layers[METHYLATED], adata.layers[UNMETHYLATED]):
        reads = blocks[0].astype(np.int64) + blocks[1]
        for number, counted in enumerate((reads, reads * observed[rows])):
            of_sample[number, rows] = counted.sum(axis=1)
            of_gene[number] += counted.sum(axis=0).astype(np.int64)
    return of_sample, of_gene


def _describe_reads(table: pd.DataFrame, reads: np.ndarray, observed_reads: np.ndarray) -> None:
    n_observed = table[N_OBSERVED].to_numpy()
    table[TOTAL_READS] = reads
    table[LOG1P_TOTAL_READS] = np.log1p(reads)
    table[MEAN_READS] = np.divide(observed_reads, n_observed, out=np.full(len(reads), np.nan), where=n_observed > 0)

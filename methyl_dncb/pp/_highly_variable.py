from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._check import whole_number
from .._data import read_betas
from .._keys import HIGHLY_VARIABLE, HIGHLY_VARIABLE_RANK, VARIANCE_BETA
from ._rows import moments

if TYPE_CHECKING:
    from anndata import AnnData


def highly_variable(
    adata: AnnData,
    n_top: int = 5000,
    *,
    layer: str | None = None,
    subset: bool = False,
    copy: bool = False,
) -> AnnData | None:
    """Mark the genes whose β varies most between samples, as the paper selects genes.

    Parameters
    ----------
    adata
        β in `X` or in `layer`.
    n_top
        How many genes to mark; all, where there are fewer with at least two observed values.
    layer
        Layer that holds β, if not `X`.
    subset
        Whether to keep only the marked genes, as in scanpy.
    copy
        Whether to return a copy instead of writing into `adata`.

    Returns
    -------
    AnnData or None
        None, or the copy. Sets `var["highly_variable"]`, `var["variance_beta"]` (over observed values) and
        `var["highly_variable_rank"]` (0 is the most variable; NaN for genes that are not marked).

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(20, 50, rng=0)
    >>> md.pp.highly_variable(adata, 10)
    >>> int(adata.var["highly_variable"].sum())
    10
    """
    n_top = whole_number("n_top", n_top, least=1)
    _, _, variance = moments(read_betas(adata, layer=layer, mask_var=None).beta_NM)
    order = np.argsort(-np.nan_to_num(variance, nan=-1), kind="stable")
    chosen = order[: min(n_top, int(np.isfinite(variance).sum()))]
    if not len(chosen):
        raise ValueError("no gene has two observed values, so none has a variance; more samples are needed")
    if copy:
        adata = adata.copy()
    rank = np.full(adata.n_vars, np.nan, dtype=np.float32)
    rank[chosen] = np.arange(len(chosen))
    adata.var[VARIANCE_BETA] = variance
    adata.var[HIGHLY_VARIABLE_RANK] = rank
    adata.var[HIGHLY_VARIABLE] = ~np.isnan(rank)
    if subset:
        adata._inplace_subset_var(adata.var[HIGHLY_VARIABLE].to_numpy())
    return adata if copy else None

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from anndata import AnnData
from scipy import sparse

from .._data import read_betas
from .._keys import N_PROBES
from ._probe_genes import match_probes, probe_genes

if TYPE_CHECKING:
    from os import PathLike


def collapse_probes(
    adata: AnnData,
    mapping: pd.DataFrame | str | PathLike[str],
    *,
    how: Literal["mean", "median"] = "mean",
    layer: str | None = None,
) -> AnnData:
    """Summarise the probes of an array by gene.

    Parameters
    ----------
    adata
        β of probes, in `X` or in `layer`.
    mapping
        A data frame with a column `probe` (or the probes as index) and a column `gene`, or an Illumina
        manifest, as a CSV file or a data frame (IlmnID, Name, UCSC_RefGene_Name). Several genes of a probe
        are separated by semicolons; the probe counts once in each. EPICv2 replicates such as
        cg00000029_TC21 count as cg00000029 unless the mapping lists them.
    how
        Mean or median of the observed values; NaN where a sample has none.
    layer
        Layer that holds β, if not `X`.

    Returns
    -------
    A new AnnData, samples × genes in alphabetical order, with `var["n_probes"]`, and `obs`, `obsm` and `uns`
    as they were. Probes without a gene are left out.

    Examples
    --------
    >>> import anndata, numpy as np, pandas as pd
    >>> import methyl_dncb as md
    >>> adata = anndata.AnnData(np.array([[0.2, 0.4, 0.9]], dtype=np.float32))
    >>> adata.var_names = ["cg1", "cg2", "cg3"]
    >>> mapping = pd.DataFrame({"probe": ["cg1", "cg2", "cg3"], "gene": ["A", "A;B;B", None]})
    >>> genes = md.pp.collapse_probes(adata, mapping)
    >>> genes.var_names.tolist(), genes.X.round(2), genes.var["n_probes"].tolist()
    (['A', 'B'], array([[0.3, 0.4]], dtype=float32), [2, 1])
    """
    if how not in ("mean", "median"):
        raise ValueError(f"how={how!r} is neither 'mean' nor 'median'")
    values = read_betas(adata, layer=layer, mask_var=None).beta_NM
    matched = match_probes(adata.var_names, probe_genes(mapping))
    if matched.empty:
        raise ValueError(
            f"no probe of adata is in the mapping (the first is {adata.var_names[0]!r}); var_names must be probe ids"
        )
    gene, names = pd.factorize(matched["gene"], sort=True)
    column = matched["column"].to_numpy()
    member = sparse.csr_matrix((np.ones(len(gene)), (column, gene)), shape=(adata.n_vars, len(names)))
    collapsed = (_means if how == "mean" else _medians)(values, member)
    var = pd.DataFrame({N_PROBES: np.bincount(gene)}, index=pd.Index(names, dtype=object))
    obsm = {key: value.copy() for key, value in adata.obsm.items()}
    return AnnData(collapsed, obs=adata.obs.copy(), var=var, obsm=obsm, uns=deepcopy(dict(adata.uns)))


def _means(values: np.ndarray, member: sparse.csr_matrix) -> np.ndarray:
    observed = ~np.isnan(values)
    n = observed.astype(np.float64) @ member
    total = np.where(observed, values, 0).astype(np.float64) @ member
    return np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0).astype(np.float32)


def _medians(values: np.ndarray, member: sparse.csr_matrix) -> np.ndarray:
    by_gene = member.tocsc()
    medians = np.full((len(values), by_gene.shape[1]), np.nan, dtype=np.float32)
    for gene, (first, last) in enumerate(zip(by_gene.indptr[:-1], by_gene.indptr[1:], strict=True)):
        of_gene = values[:, by_gene.indices[first:last]]
        some = ~np.isnan(of_gene).all(axis=1)
        medians[some, gene] = np.nanmedian(of_gene[some], axis=1)
    return medians

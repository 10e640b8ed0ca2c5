from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from scanpy import logging as logg

from .. import _check
from ..get._fit import find_fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData

SET, GENE = "source", "target"  # decoupler's names
_LEAST_PHI: Final = np.finfo(np.float32).tiny


def enrich(
    adata: AnnData,
    gene_sets: str | Path | pd.DataFrame | Mapping[str, Sequence[str]],
    *,
    min_genes: int = 5,
    key: str = "dncb_mf",
    key_added: str = "enrich",
) -> pd.DataFrame:
    """Ask which gene sets have high weights φ in which component.

    For every component and gene set, a linear model of log φ on membership in the set, over the genes of the
    fit, by decoupler (`decoupler.mt.ulm`). The score is the t-statistic of membership: above 0, the genes of the
    set weigh more than the others. Nothing is downloaded. The p-values take genes as independent, as such tests
    do, and φ as known; genes that vary together make them too small.

    Needs the extra `enrich` (`pip install "methyl-dncb[enrich]"`).

    Parameters
    ----------
    adata
        An object with a fit.
    gene_sets
        A GMT file; a DataFrame with the columns `source` (the set) and `target` (the gene); or a dict from names
        of sets to their genes. Names of genes are those of `var_names`.
    min_genes
        Sets with fewer genes in the fit are left out.
    key
        Stem of the fit's keys.
    key_added
        Key in `uns` to write.

    Returns
    -------
    pandas.DataFrame
        One row for each component and set, the highest score first: `component`, `gene_set`, `score`, `p_adj`
        (Benjamini–Hochberg over the sets of a component), and `n_genes` of the set in the fit. Also in
        `.uns['enrich']`.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(30, 60, rng=0)
    >>> sets = adata.var.reset_index(names="target").rename(columns={"gene_set": "source"})
    >>> table = md.tl.enrich(adata, sets[["source", "target"]], key="truth")
    >>> table.loc[table["component"] == "hypo G2", "gene_set"].iloc[0]
    'hypo G2'
    """
    min_genes = _check.whole_number("min_genes", min_genes, least=1)
    key_added = _check.key_stem(key_added, "enrich")
    fit = find_fit(adata, key)
    if not adata.var_names.is_unique:
        raise ValueError("names of genes occur twice; call adata.var_names_make_unique() first")
    fitted = fit.genes
    net = _overlapping(_as_net(gene_sets), adata.var_names[fitted].astype(str), min_genes)
    try:
        import decoupler
    except ImportError as error:
        raise ImportError('tl.enrich needs decoupler; pip install "methyl-dncb[enrich]"') from error

    # On the log scale φ is near to the symmetric errors that the model assumes.
    log_phi = np.log(np.maximum(fit.phi_MK[fitted], _LEAST_PHI)).T
    weights = pd.DataFrame(log_phi, index=fit.names, columns=adata.var_names[fitted].astype(str))
    scores, p_adjusted = decoupler.mt.ulm(weights, net, tmin=min_genes)
    table = scores.rename_axis(index="component", columns="gene_set").stack().rename("score").reset_index()
    table["p_adj"] = p_adjusted.loc[fit.names, scores.columns].to_numpy().ravel()
    table["n_genes"] = table["gene_set"].map(net[SET].value_counts()).astype(int)
    place = {name: k for k, name in enumerate(fit.names)}
    table = table.iloc[np.lexsort((-table["score"], table["component"].map(place)))].reset_index(drop=True)
    adata.uns[key_added] = table
    return table


def _as_net(gene_sets: str | Path | pd.DataFrame | Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Sets and genes, a row for each pair."""
    if isinstance(gene_sets, str | Path):
        gene_sets = read_gmt(Path(gene_sets))
    if isinstance(gene_sets, Mapping):
        gene_sets = pd.DataFrame(
            [(name, gene) for name, genes in gene_sets.items() for gene in genes], columns=[SET, GENE]
        )
    if not isinstance(gene_sets, pd.DataFrame):
        raise TypeError(f"gene_sets must be a GMT file, a DataFrame or a dict, not {type(gene_sets).__name__}")
    absent = [name for name in (SET, GENE) if name not in gene_sets]
    if absent:
        raise ValueError(
            f'gene_sets lacks the column {absent[0]!r}; it needs "{SET}" (the set) and "{GENE}" (the gene)'
        )
    return gene_sets[[SET, GENE]].astype(str).drop_duplicates()


def read_gmt(path: Path) -> dict[str, list[str]]:
    """Gene sets of a GMT file: on each line, between tabs, a name, a description, and genes."""
    sets = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if not line.strip():
            continue
        name, *rest = line.split("\t")
        if len(rest) < 2:
            raise ValueError(f"{path}, line {number}: a GMT line has a name, a description and genes between tabs")
        if name in sets:
            raise ValueError(f"{path}, line {number}: the gene set {name!r} was there before; names must be unique")
        sets[name] = [gene.strip() for gene in rest[1:] if gene.strip()]
    return sets


def _overlapping(net: pd.DataFrame, genes: pd.Index, min_genes: int) -> pd.DataFrame:
    """The part of the sets that the fit has, of sets with at least `min_genes` of them."""
    known = net[net[GENE].isin(genes)]
    sizes = known[SET].value_counts()
    kept = sizes.index[sizes >= min_genes]
    if not len(kept):
        raise ValueError(
            f"no gene set has {min_genes} of the {len(genes)} genes of the fit (the sets name {net[GENE].nunique()} "
            f"genes, {known[GENE].nunique()} of them in the fit). Genes here look like {genes[0]!r}; bring both to the "
            "same kind of name, or lower min_genes"
        )
    left_out = net[SET].nunique() - len(kept)
    if left_out:
        logg.info(f"    {left_out} gene sets with fewer than {min_genes} genes in the fit are left out")
    return known[known[SET].isin(kept)]

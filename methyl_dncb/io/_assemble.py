"""Counts of samples as an AnnData."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from anndata import AnnData
from scipy import sparse

from .. import _keys as keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ._loci import Loci


def over_regions(
    obs: pd.DataFrame, regions: pd.DataFrame, *, counts: NDArray[np.int32], n_loci: NDArray[np.int32]
) -> AnnData:
    """Samples × regions; `counts` is methylated and unmethylated × samples × regions."""
    var = regions.set_axis(region_names(regions))
    var[keys.N_LOCI] = n_loci
    return AnnData(obs=obs, var=var, layers={keys.METHYLATED: counts[0], keys.UNMETHYLATED: counts[1]})


def over_loci(obs: pd.DataFrame, loci: Sequence[Loci], *, starts: dict[str, NDArray[np.int32]], span: int) -> AnnData:
    """Samples × loci, sparse: a locus that a sample does not cover takes no room."""
    sizes = [len(start) for start in starts.values()]
    start = np.concatenate([*starts.values(), np.empty(0, np.int32)]).astype(np.int64)
    chrom = pd.Categorical.from_codes(np.repeat(np.arange(len(starts)), sizes), list(starts))
    names = pd.Index(chrom.astype(str)) + ":" + pd.Index(start.astype(str)) + "-" + pd.Index((start + span).astype(str))
    var = pd.DataFrame({"chrom": chrom, "start": start, "end": start + span}, index=names)
    offsets = dict(zip(starts, np.cumsum([0, *sizes])[:-1], strict=True))
    rows = [
        {name: np.searchsorted(starts[name], counts.start) + offsets[name] for name, counts in sample.items()}
        for sample in loci
    ]
    layers = {
        key: _stack(
            [[getattr(sample[name], key) for name in starts if name in sample] for sample in loci],
            [[row[name] for name in starts if name in row] for row in rows],
            len(start),
        )
        for key in (keys.METHYLATED, keys.UNMETHYLATED)
    }
    return AnnData(obs=obs, var=var, layers=layers)


def _stack(values: list[list[NDArray]], columns: list[list[NDArray]], n_columns: int) -> sparse.csr_matrix:
    lengths = [sum(map(len, row)) for row in values]
    matrix = sparse.csr_matrix(
        (
            np.concatenate([part for row in values for part in row]),
            np.concatenate([part for row in columns for part in row]),
            np.cumsum([0, *lengths]),
        ),
        shape=(len(values), n_columns),
    )
    matrix.eliminate_zeros()
    return matrix


def region_names(regions: pd.DataFrame) -> pd.Index:
    """Unique names: the gene's; where several share it, with the id; then with the place; then numbered."""
    blank = pd.Series("", index=regions.index)
    place = regions["chrom"].astype(str) + ":" + regions["start"].astype(str) + "-" + regions["end"].astype(str)
    gene_id = regions.get("gene_id", blank).fillna("").astype(str)
    names = regions.get("gene_name", regions.get("name", blank)).fillna("").astype(str)
    names = names.where(names != "", gene_id)
    names = names.where(names != "", place)
    for tail in (gene_id, place, regions.groupby(place.to_numpy()).cumcount().astype(str)):
        shared = names.duplicated(keep=False) & (tail != "") & (tail != names)
        names = names.where(~shared, names + "_" + tail)
    return pd.Index(names.to_numpy(), dtype=object)

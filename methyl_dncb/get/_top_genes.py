from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .. import _check
from ._fit import find_fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData


def top_genes(
    adata: AnnData,
    n: int = 10,
    *,
    components: Sequence[int | str] | int | str | None = None,
    interval: float = 0.95,
    key: str = "dncb_mf",
) -> pd.DataFrame:
    """The genes with the highest φ in each component.

    Parameters
    ----------
    adata
        An object with a fit.
    n
        Number of genes per component; fewer where the fit has fewer genes.
    components
        Components by number, from 0; all by default.
    interval
        Probability of the credible interval of φ.
    key
        Stem of the fit's keys.

    Returns
    -------
    pandas.DataFrame
        One row for each component and gene, highest φ first: `component`, `rank` (from 1), `gene`, `phi`, and,
        if the fit kept its draws, `lower` and `upper`, the ends of the equal-tailed credible interval.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(30, 60, rng=0)
    >>> md.get.top_genes(adata, 2, components=[0, 1], key="truth")[["component", "rank", "gene"]]
      component  rank   gene
    0  hyper G1     1  MAPK1
    1  hyper G1     2  GATA2
    2   hypo G1     1   WNT1
    3   hypo G1     2  CXCL2
    """
    n = _check.whole_number("n", n, least=1)
    tails = tail_quantiles(interval)
    fit = find_fit(adata, key)
    tables = []
    for k in fit.choose(components):
        phi = fit.phi_MK[:, k]
        best = np.argsort(-phi, kind="stable")[: min(n, np.count_nonzero(~np.isnan(phi)))]  # NaN sorts last
        table = {"component": fit.names[k], "rank": np.arange(1, len(best) + 1)}
        table |= {"gene": adata.var_names[best].astype(str), "phi": phi[best]}
        if fit.phi_MKS is not None:
            table["lower"], table["upper"] = np.quantile(fit.phi_MKS[best, k], tails, axis=1)
        tables.append(pd.DataFrame(table))
    return pd.concat(tables, ignore_index=True)


def tail_quantiles(interval: float) -> tuple[float, float]:
    """Both ends of an equal-tailed interval, as probabilities."""
    interval = _check.fraction("interval", interval, zero=False)
    return (1 - interval) / 2, (1 + interval) / 2

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ._fit import find_fit
from ._top_genes import tail_quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData


def components(
    adata: AnnData,
    components: Sequence[int | str] | int | str | None = None,
    *,
    interval: float | None = None,
    key: str = "dncb_mf",
) -> pd.DataFrame:
    """The weights φ as a tidy table.

    Parameters
    ----------
    adata
        An object with a fit.
    components
        Components by number, from 0; all by default.
    interval
        Probability of credible intervals to add, such as 0.95; they need the draws (`keep_draws=True`).
    key
        Stem of the fit's keys.

    Returns
    -------
    pandas.DataFrame
        One row for each component and gene of the fit: `component`, `gene`, `phi`, and with `interval` the ends
        `lower` and `upper` of the equal-tailed credible interval.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(30, 60, rng=0)
    >>> table = md.get.components(adata, [0, 1], key="truth")
    >>> table.shape
    (120, 3)
    """
    fit = find_fit(adata, key)
    tails = None if interval is None else tail_quantiles(interval)
    if tails is not None and fit.phi_MKS is None:
        raise ValueError("intervals need draws; fit with tl.dncb_mf(keep_draws=True)")
    genes = fit.genes
    tables = []
    for k in fit.choose(components):
        table = {"component": fit.names[k], "gene": adata.var_names[genes].astype(str), "phi": fit.phi_MK[genes, k]}
        if tails is not None:
            table["lower"], table["upper"] = np.quantile(fit.phi_MKS[genes, k], tails, axis=1)
        tables.append(pd.DataFrame(table))
    return pd.concat(tables, ignore_index=True)

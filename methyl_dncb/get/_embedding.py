from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ._fit import find_fit
from ._top_genes import tail_quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData

    from ._fit import Fit


def embedding(
    adata: AnnData,
    components: Sequence[int | str] | int | str | None = None,
    *,
    obs: Sequence[str] | str | None = None,
    interval: float | None = None,
    key: str = "dncb_mf",
) -> pd.DataFrame:
    """The embedding ρ as a tidy table, with columns of `obs` beside it.

    Parameters
    ----------
    adata
        An object with a fit.
    components
        Components by number, from 0; all by default.
    obs
        Columns of `obs` to add; all by default, an empty list for none.
    interval
        Probability of credible intervals of ρ to add, such as 0.95; they need the draws (`keep_draws=True`).
    key
        Stem of the fit's keys.

    Returns
    -------
    pandas.DataFrame
        One row for each component and sample: `sample`, `component`, `rho`, with `interval` its `rho_lower` and
        `rho_upper`, where the fit has them `theta1` and `theta2`, and the columns of `obs`.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(30, 60, rng=0)
    >>> table = md.get.embedding(adata, key="truth")
    >>> table.columns.to_list()
    ['sample', 'component', 'rho', 'theta1', 'theta2', 'group']
    >>> means = table.groupby(["component", "group"], observed=True)["rho"].mean()
    >>> round(float(means["hyper G1", "G1"]), 2), round(float(means["hyper G1", "G2"]), 2)
    (0.9, 0.15)
    """
    fit = find_fit(adata, key)
    chosen = fit.choose(components)
    wanted = list(adata.obs.columns) if obs is None else [obs] if isinstance(obs, str) else list(obs)
    unknown = [column for column in wanted if column not in adata.obs]
    if unknown:
        raise ValueError(f"adata.obs has no column {unknown[0]!r}; it has {', '.join(map(repr, adata.obs.columns))}")
    values = {"rho": fit.rho_NK}
    if interval is not None:
        values["rho_lower"], values["rho_upper"] = _rho_interval(adata, fit, tail_quantiles(interval))
    for name, slot in (("theta1", fit.keys.theta1), ("theta2", fit.keys.theta2)):
        if slot in adata.obsm:
            values[name] = np.asarray(adata.obsm[slot])
    columns = {
        "sample": np.tile(adata.obs_names.astype(str), len(chosen)),
        "component": np.repeat([fit.names[k] for k in chosen], adata.n_obs),
    }
    columns |= {name: array[:, chosen].ravel(order="F") for name, array in values.items()}
    clashing = [column for column in wanted if column in columns]
    if clashing:
        raise ValueError(f"adata.obs[{clashing[0]!r}] has the name of a column of the table; rename it or choose obs")
    beside = pd.concat([adata.obs[wanted]] * len(chosen), ignore_index=True)
    return pd.concat([pd.DataFrame(columns), beside], axis=1)


def _rho_interval(adata: AnnData, fit: Fit, tails: tuple[float, float]) -> np.ndarray:
    """Both ends of the equal-tailed interval of ρ over the draws, samples × components each."""
    keys = [fit.keys.draws(key) for key in (fit.keys.theta1, fit.keys.theta2)]
    if any(key not in adata.obsm for key in keys):
        raise ValueError("intervals need draws; fit with tl.dncb_mf(keep_draws=True)")
    theta1, theta2 = (np.asarray(adata.obsm[key], dtype=np.float64) for key in keys)
    total = theta1 + theta2
    rho_NKS = np.divide(theta1, total, out=np.full_like(total, 0.5), where=total > 0)
    return np.quantile(rho_NKS, tails, axis=2)

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ._fit import find_fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData


def embedding(
    adata: AnnData,
    components: Sequence[int | str] | int | str | None = None,
    *,
    obs: Sequence[str] | str | None = None,
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
    key
        Stem of the fit's keys.

    Returns
    -------
    pandas.DataFrame
        One row for each component and sample: `sample`, `component`, `rho`, where the fit has them `theta1` and
        `theta2`, and the columns of `obs`.

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

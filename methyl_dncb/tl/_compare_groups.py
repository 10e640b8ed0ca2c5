from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from scanpy import logging as logg

from .. import _check
from ._fitted import read_fit

if TYPE_CHECKING:
    from anndata import AnnData

REST = "rest"


def compare_groups(
    adata: AnnData,
    groupby: str,
    reference: str = REST,
    *,
    groups: list[str] | None = None,
    target: Literal["population", "samples"] = "population",
    interval: float = 0.9,
    key: str = "dncb_mf",
    key_added: str = "compare_groups",
    rng: np.random.Generator | int | None = None,
    copy: bool = False,
) -> AnnData | None:
    """Compare ρ between groups of samples: for each component, how large is the difference and how sure.

    Parameters
    ----------
    adata
        With a fit of `tl.dncb_mf` or `tl.project` made with `keep_draws=True`.
    groupby
        Column of `obs` with the groups. Samples without a group (NaN) are left out.
    reference
        What each group is compared with: `"rest"`, all samples of the other groups, or the name of one group.
    groups
        Groups to compare; by default all but the reference.
    target
        `"population"`: the difference between the means of the populations that the samples were drawn from. It is
        uncertain because each ρ is, and because there are only so many samples. `"samples"`: the difference between
        the means of these very samples, uncertain only because each ρ is. Where groups differ and data are few, the
        prior, which does not know the groups, pulls their ρ together and makes these intervals too short.
    interval
        Probability of the equal-tailed credible interval.
    key
        The fit to use.
    key_added
        Key of `uns` to write.
    rng
        Seed or generator, for `target="population"`.
    copy
        Whether to return a copy instead of writing into `adata`.

    Returns
    -------
    None, or with `copy=True` a copy of `adata`, with `.uns['compare_groups']` set: a DataFrame with one row for each
    group and component, sorted by how sure the difference is. Columns are `group`, `reference`, `component`,
    `mean_group`, `mean_reference` (posterior means of mean ρ), `difference` (its posterior mean), `low`, `high` (its
    interval), `probability_of_direction` (that the difference has the sign it seems to have), `n_group` and
    `n_reference` (samples).

    Notes
    -----
    The posterior of the mean of a population takes each draw's mean over samples, which holds the uncertainty of ρ,
    and adds what sampling more samples would change: a Student-t variate with n − 1 degrees of freedom times
    √(τ²/n), where τ² is the variance of the posterior means of ρ between samples less the mean of their posterior
    variances (not below 0).

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=30, n_vars=60, rng=0)
    >>> md.tl.dncb_mf(adata, n_components=4, n_burnin=100, n_draws=50, thin=5, keep_draws=True, rng=0)
    >>> md.tl.compare_groups(adata, "group", rng=0)
    >>> adata.uns["compare_groups"].shape
    (12, 11)
    """
    if target not in ("population", "samples"):
        raise ValueError(f'target must be "population" or "samples", not {target!r}')
    interval = _check.number("interval", interval, least=0.0, most=1.0)
    stem = _check.key_stem(key_added, "compare_groups")
    members = _members(adata, groupby, reference, groups, least=2 if target == "population" else 1)
    theta1_NKS, theta2_NKS = read_fit(adata, key).theta_draws
    theta1_NKS = theta1_NKS.astype(np.float64)
    rho_NKS = theta1_NKS / (theta1_NKS + theta2_NKS)
    rng = np.random.default_rng(rng)
    tables = []
    for group, (inside, outside) in members.items():
        means = [_mean_draws(rho_NKS[chosen], target, rng) for chosen in (inside, outside)]
        table = _describe(*means, interval)
        table.insert(0, "group", group)
        table.insert(1, "reference", reference)
        table["n_group"], table["n_reference"] = int(inside.sum()), int(outside.sum())
        tables.append(table)
    adata = (adata.to_memory() if adata.isbacked else adata.copy()) if copy else adata
    adata.uns[stem] = pd.concat(tables, ignore_index=True)
    logg.info(f"compared {len(members)} groups in {rho_NKS.shape[1]} components: {stem!r} (adata.uns)")
    return adata if copy else None


def _members(
    adata: AnnData, groupby: str, reference: str, groups: list[str] | None, *, least: int
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """For each group to compare, which samples are in it and which it is compared with."""
    if groupby not in adata.obs:
        raise ValueError(f"groupby names adata.obs[{groupby!r}], which is not there")
    column = adata.obs[groupby]
    labels = column.astype("string").to_numpy(dtype=object, na_value=None)
    known = list(dict.fromkeys(label for label in sorted(filter(None, labels))))
    for name in ([] if reference == REST else [reference]) + list(groups or []):
        if name not in known:
            raise ValueError(f"there is no group {name!r} in adata.obs[{groupby!r}]; the groups are {known}")
    chosen = [name for name in (groups or known) if name != reference]
    if not chosen or len(known) < 2:
        raise ValueError(f"adata.obs[{groupby!r}] has the groups {known}; two are needed for a comparison")
    members = {}
    for name in chosen:
        inside = labels == name
        outside = np.array([label is not None and label != name for label in labels])
        members[name] = (inside, outside if reference == REST else labels == reference)
        small = min(members[name], key=np.count_nonzero)
        if small.sum() < least:
            raise ValueError(
                f"comparing {name!r} with {reference!r}: one side has {small.sum()} sample, and the variance of a "
                f'population needs {least}; pass target="samples" or leave the group out with groups='
            )
    return members


def _mean_draws(rho_NKS: np.ndarray, target: str, rng: np.random.Generator) -> np.ndarray:
    """Draws of the mean ρ of some samples, or of the population behind them; components × draws."""
    n = rho_NKS.shape[0]
    mean_KS = rho_NKS.mean(axis=0)
    if target == "samples":
        return mean_KS
    between_K = rho_NKS.mean(axis=2).var(axis=0, ddof=1)
    within_K = rho_NKS.var(axis=2).mean(axis=0)
    spread_K = np.sqrt(np.maximum(between_K - within_K, 0.0) / n)
    return mean_KS + spread_K[:, None] * rng.standard_t(n - 1, size=mean_KS.shape)


def _describe(inside_KS: np.ndarray, outside_KS: np.ndarray, interval: float) -> pd.DataFrame:
    difference_KS = inside_KS - outside_KS
    low, high = np.quantile(difference_KS, (0.5 - interval / 2, 0.5 + interval / 2), axis=1)
    above = (difference_KS > 0).mean(axis=1)
    table = pd.DataFrame(
        {
            "component": np.arange(len(difference_KS)),
            "mean_group": inside_KS.mean(axis=1),
            "mean_reference": outside_KS.mean(axis=1),
            "difference": difference_KS.mean(axis=1),
            "low": low,
            "high": high,
            "probability_of_direction": np.maximum(above, 1 - above),
        }
    )
    by = table[["probability_of_direction", "difference"]].abs()
    return table.loc[by.sort_values(list(by), ascending=False, kind="stable").index].reset_index(drop=True)

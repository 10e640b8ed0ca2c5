"""Convergence figures by arviz-stats, on plain arrays of chains × draws, and what they say in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from ..model._trace import Draws, Trace

FEWEST_DRAWS = 4  # per chain; with fewer, split chains have no variance to compare
N_RATES = 25  # entries at which λ is followed
N_SAMPLES = 10  # samples at which ρ is followed
WATCHED_SEED = 20210701  # the entries and samples depend on the data's shape alone

R_HAT_GOOD = 1.05
STABLE = 0.8


def diagnose(trace: Trace, *, learned_shape: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """R-hat, bulk and tail ESS of each quantity (of many values the worst of each figure), and of each component."""
    n_draws = trace.n_draws
    rates = _rates(trace.draws)
    quantities = {"log_likelihood": trace.log_likelihood_CE[:, -n_draws:, None]}
    if learned_shape:
        quantities |= {f"shape{r + 1}": trace.shape_CE2[:, -n_draws:, r, None] for r in range(2)}
    quantities |= {"lambda1": rates[0], "lambda2": rates[1]}
    of_rho = convergence(_rho(trace.draws))
    rows = {name: _worst(convergence(values)) for name, values in quantities.items()} | {"rho": _worst(of_rho)}
    return pd.DataFrame(rows).T, _by_component(of_rho, trace.stability_K)


def _by_component(of_rho: dict[str, np.ndarray], stability_K: np.ndarray) -> pd.DataFrame:
    """Stability of each component, and the worst figures of its ρ."""
    rows = [_worst({name: values[:, k] for name, values in of_rho.items()}) for k in range(stability_K.size)]
    table = pd.DataFrame(rows).add_prefix("rho_")
    table.insert(0, "stability", stability_K)
    table.index = pd.Index([str(k) for k in range(len(table))], name="component")
    return table


def convergence(values_CD: np.ndarray) -> dict[str, np.ndarray]:
    """Rank-normalised split R-hat, bulk and tail ESS of values on axes chains × draws × anything.

    A single chain is compared with itself, half against half. NaN where there are too few draws to tell.
    """
    from arviz_stats.base import array_stats

    names = ("r_hat", "ess_bulk", "ess_tail")
    if values_CD.shape[1] < 2 * FEWEST_DRAWS:
        return dict.fromkeys(names, np.full(values_CD.shape[2:], np.nan))
    axes = {"chain_axis": 0, "draw_axis": 1}
    figures = (
        array_stats.rhat(_at_least_two(values_CD), **axes),
        array_stats.ess(values_CD, **axes),
        array_stats.ess(values_CD, **axes, method="tail", prob=(0.05, 0.95)),
    )
    return dict(zip(names, figures, strict=True))


def _at_least_two(values_CD: np.ndarray) -> np.ndarray:
    """Cut a single chain in two: arviz-stats compares chains, and splits each of them once more."""
    if len(values_CD) > 1:
        return values_CD
    half = values_CD.shape[1] // 2
    return values_CD[:, -2 * half :].reshape(2, half, *values_CD.shape[2:])


def _worst(figures: dict[str, np.ndarray]) -> dict[str, float]:
    worst = {"r_hat": np.max, "ess_bulk": np.min, "ess_tail": np.min}
    return {name: float(worst[name](values)) for name, values in figures.items()}


def _rates(draws: Draws) -> tuple[np.ndarray, np.ndarray]:
    """λ₁ and λ₂ at a fixed random set of entries, chains × draws × entries: identified whatever the labels do."""
    rng = np.random.default_rng(WATCHED_SEED)
    i = rng.integers(draws.theta1_NKCD.shape[0], size=N_RATES)
    j = rng.integers(draws.phi_MKCD.shape[0], size=N_RATES)
    phi = draws.phi_MKCD[j].astype(np.float64)
    both = (draws.theta1_NKCD, draws.theta2_NKCD)
    return tuple(np.moveaxis((theta[i] * phi).sum(axis=1), 0, -1) for theta in both)


def _rho(draws: Draws) -> np.ndarray:
    """ρ of a fixed random set of samples, chains × draws × samples × components."""
    N = draws.theta1_NKCD.shape[0]
    rng = np.random.default_rng(WATCHED_SEED)
    i = np.sort(rng.choice(N, size=min(N, N_SAMPLES), replace=False))
    theta1, theta2 = draws.theta1_NKCD[i].astype(np.float64), draws.theta2_NKCD[i]
    return np.moveaxis(theta1 / (theta1 + theta2), (2, 3), (0, 1))


def verdict(trace: Trace, figures: pd.DataFrame) -> str:
    """What the figures mean, in a sentence or two."""
    K = trace.stability_K.size
    unstable = int((trace.stability_K < STABLE).sum())
    r_hat = figures.loc["log_likelihood", "r_hat"]
    said = []
    if trace.burnin.r_hat_C.size and not trace.burnin.stationary and not np.isnan(trace.burnin.r_hat_C).all():
        said.append(f"the log likelihood still moved when the burn-in ended after {trace.burnin.n_sweeps} sweeps")
    if np.isnan(r_hat):
        said.append(f"{trace.n_draws} draws are too few to judge convergence")
    elif r_hat > R_HAT_GOOD:
        where = "differs between chains" if trace.n_chains > 1 else "drifts along the chain"
        said.append(f"the log likelihood {where} (R-hat {r_hat:.2f}); consider more burn-in")
    if unstable:
        where = "between chains" if trace.n_chains > 1 else "between the halves of the chain"
        said.append(f"{unstable} of {K} components differ {where}; consider more burn-in or fewer components")
    elif trace.n_chains > 1:
        said.append(f"all {K} components agree between chains")
    if trace.n_chains == 1:
        said.append("one chain cannot show what another start would find; n_chains=4 would")
    return "; ".join(said)

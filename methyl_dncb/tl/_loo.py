from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scanpy import logging as logg

from .. import _check
from .._keys import FactorKeys
from ._read import read_fit
from ._write import write_score

if TYPE_CHECKING:
    from anndata import AnnData

    from ._read import FittedModel


# Fewer leave no tail to fit a Pareto distribution to.
LEAST_DRAWS = 25
TOLERATED_HIGH_K = 0.05


def loo(
    adata: AnnData,
    *,
    key: str = "dncb_mf",
    n_entries: int | None = 10_000,
    keep_log_likelihood: bool = False,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
) -> pd.Series:
    """Estimate how well a fit would predict each entry left out, without holding anything out.

    Pareto-smoothed importance sampling (PSIS-LOO, by arviz-stats) re-weights the posterior draws to what
    they would be without an entry. Where `pareto_k_high` is above 5%, which a warning tells, the draws are too
    few or the entries too influential, and `pp.hold_out` with `tl.heldout_score` is to be preferred.

    Parameters
    ----------
    adata
        With a fit of `tl.dncb_mf` or `tl.bg_nmf` made with `keep_draws=True`.
    key
        Stem of the fit's keys.
    n_entries
        Training entries to estimate from, chosen at random; None takes all (about 0.4 ms each).
    keep_log_likelihood
        Whether to store the log likelihood of the chosen entries under each draw in
        `layers["<key>_log_likelihood"]`, samples × genes × draws. That is large.
    rng
        Seed or generator for the choice of entries.
    n_jobs
        Threads; all available cores by default.

    Returns
    -------
    Series
        Also stored in `uns[key]["loo"]`:

        - `log_ppd`, `log_ppd_se`: mean log predictive density of an entry left out, and its standard error
          over entries; comparable with those of `tl.heldout_score`,
        - `ppd`: its exponential,
        - `elpd`, `p_loo`: scaled up to all training entries, the expected log predictive density and the
          effective number of parameters,
        - `pareto_k_high`: share of entries with a Pareto k above the level that the draws allow,
        - `n_entries`, `n_draws`: how many of each went in.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=30, n_vars=60, rng=0)
    >>> md.tl.dncb_mf(adata, 4, n_burnin=100, n_draws=50, thin=2, keep_draws=True, rng=0)
    >>> score = md.tl.loo(adata, n_entries=200)
    >>> int(score["n_entries"])
    200
    """
    if n_entries is not None:
        n_entries = _check.whole_number("n_entries", n_entries, least=2)
    threads = _check.job_count(n_jobs)
    fit = read_fit(adata, key=key)
    if adata.uns[key].get("model") == "nmf":
        raise ValueError(
            f"the fit under {key!r} is of NMF, which has no posterior; use pp.hold_out and tl.heldout_score"
        )
    n_draws = fit.draws.phi_MKS.shape[2]
    if n_draws < LEAST_DRAWS:
        raise ValueError(
            f"PSIS-LOO needs at least {LEAST_DRAWS} posterior draws, and the fit under {key!r} has {n_draws}; fit with "
            "a larger n_draws, or use pp.hold_out and tl.heldout_score"
        )
    trained_NM = (fit.beta_NM > 0) & (fit.beta_NM < 1) & ~fit.held_out_NM
    entry_E = np.flatnonzero(trained_NM)
    n_trained = len(entry_E)
    if n_trained < 2:
        raise ValueError(f"the fit under {key!r} has {n_trained} training entries inside (0, 1); at least 2 are needed")
    if n_entries is not None and n_entries < n_trained:
        entry_E = np.sort(np.random.default_rng(rng).choice(entry_E, n_entries, replace=False))
    log_likelihood_ES = _log_likelihood(fit, entry_E, threads)
    elpd_E, pareto_k_E, p_loo_E = _psis(log_likelihood_ES.reshape(len(entry_E), fit.n_chains, -1))
    score = {
        "ppd": np.exp(elpd_E.mean()),
        "log_ppd": elpd_E.mean(),
        "log_ppd_se": elpd_E.std(ddof=1) / np.sqrt(elpd_E.size),
        "elpd": elpd_E.mean() * n_trained,
        "p_loo": p_loo_E.mean() * n_trained,
        "pareto_k_high": (pareto_k_E > min(1 - 1 / np.log10(n_draws), 0.7)).mean(),
        "n_entries": len(entry_E),
        "n_draws": n_draws,
    }
    score = {name: float(value) for name, value in score.items()}
    if score["pareto_k_high"] > TOLERATED_HIGH_K:
        logg.warning(
            f"Pareto k is too high for {score['pareto_k_high']:.0%} of the entries, so the estimate is not reliable: "
            "keep more draws, or hold entries out (pp.hold_out, tl.heldout_score)."
        )
    write_score(adata, key, "loo", score)
    if keep_log_likelihood:
        adata.layers[FactorKeys(key).log_likelihood] = _over_entries(adata, fit, entry_E, log_likelihood_ES)
    return pd.Series(score, name=key)


def _log_likelihood(fit: FittedModel, entry_E: np.ndarray, n_jobs: int) -> np.ndarray:
    """Log likelihood of entries (numbered through the matrix) under each draw."""
    out_ES = np.empty((len(entry_E), fit.draws.phi_MKS.shape[2]))
    row_E, column_E = np.unravel_index(entry_E, fit.beta_NM.shape)
    beta_E = fit.beta_NM[row_E, column_E].astype(np.float64)

    def work(entries: slice, _number: int) -> None:
        out_ES[entries] = fit.draws.log_density(beta_E[entries], row_E[entries], column_E[entries])

    fit.draws.over_entries(len(entry_E), work, n_jobs)
    return out_ES


def _psis(log_likelihood_ECS: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from arviz_stats.base import array_stats

    return array_stats.loo(log_likelihood_ECS)


def _over_entries(adata: AnnData, fit: FittedModel, entry_E: np.ndarray, values_ES: np.ndarray) -> np.ndarray:
    """Values of some entries of the fitted genes as a layer, NaN elsewhere."""
    row_E, column_E = np.unravel_index(entry_E, fit.beta_NM.shape)
    layer = np.full((*adata.shape, values_ES.shape[1]), np.nan, dtype=np.float32)
    layer[row_E, np.flatnonzero(fit.genes)[column_E]] = values_ES
    return layer

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scanpy import logging as logg

from .. import _check
from .._keys import HELD_OUT
from ..model._predictive import predict_entries
from ._read import read_fit
from ._write import write_score

if TYPE_CHECKING:
    from anndata import AnnData

    from ._read import FittedModel


def heldout_score(
    adata: AnnData,
    *,
    mask: str | None = HELD_OUT,
    key: str = "dncb_mf",
    draws: int | None = 100,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
) -> pd.Series:
    """Score how well a fit predicts the entries that were held out of it.

    The score of the paper is the pointwise predictive density, PPD: the density of each held-out value,
    averaged over posterior draws; of these the geometric mean over entries. It works for fits of
    `tl.dncb_mf`, `tl.bg_nmf` (both with `keep_draws=True`) and `tl.nmf`, and is comparable between them.

    Parameters
    ----------
    adata
        With a fit made with `mask`.
    mask
        Name of the boolean layer that was held out; None takes the fit's own.
    key
        Stem of the fit's keys.
    draws
        Most posterior draws to use, spread evenly over those stored; None takes all.
    rng
        Seed or generator for the replicates behind the coverage.
    n_jobs
        Threads; all available cores by default. The result does not depend on it.

    Returns
    -------
    Series
        Also stored in `uns[key]["heldout_score"]`:

        - `ppd`: `PPD^(1/|M|)`, the geometric mean over the held-out entries; larger is better,
        - `log_ppd`, `log_ppd_se`: its logarithm, and the standard error of that over entries,
        - `mae`, `rmse`: mean absolute and root mean squared error of the posterior predictive mean,
        - `coverage_50`, `coverage_90`: share of held-out values within their central 50% and 90%
          predictive intervals,
        - `n_entries`, `n_draws`: how many of each went in,
        - `n_exact`: entries of exactly 0 or 1. They may have no finite density, so they are left out of `ppd`,
          with a warning.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=40, n_vars=80, rng=0)
    >>> md.pp.hold_out(adata, rng=0)
    >>> md.tl.bg_nmf(adata, 8, mask="held_out", keep_draws=True, rng=0)
    >>> score = md.tl.heldout_score(adata, key="bg_nmf")
    >>> int(score["n_entries"])
    320
    """
    threads = _check.job_count(n_jobs)
    fit = read_fit(adata, key=key, mask=mask, draws=draws)
    row_E, column_E = np.nonzero(fit.held_out_NM)
    beta_E = fit.beta_NM[row_E, column_E].astype(np.float64)
    exact_E = (beta_E == 0) | (beta_E == 1)
    if fit.mask is None:
        raise ValueError(
            f"the fit under {key!r} was made without a mask, so it has seen every entry; make one with pp.hold_out "
            "and fit again with mask=, or use tl.loo"
        )
    if np.sum(~exact_E) < 2:
        raise ValueError(
            f"adata.layers[{fit.mask!r}] holds out {len(beta_E)} observed entries of the fitted genes, {exact_E.sum()} "
            "of them exactly 0 or 1, where densities are not finite; a score needs two others at least: hold out more"
        )
    _warn_of_other_mask(adata, key, fit)
    if exact_E.any():
        logg.warning(f"{exact_E.sum()} held-out values are exactly 0 or 1 and are left out of the density.")
    # Just inside, exact values keep their rank and have a density, which is then not used.
    inside_E = np.where(exact_E, beta_E.clip(1e-12, 1 - 1e-12), beta_E)
    seed = np.random.SeedSequence(_check.seed_words(rng))
    predicted = predict_entries(fit.draws, inside_E, row_E, column_E, seed=seed, n_jobs=threads)
    log_density_E = predicted.log_density_E[~exact_E]
    error_E = predicted.mean_E - beta_E
    score = {
        "ppd": np.exp(log_density_E.mean()),
        "log_ppd": log_density_E.mean(),
        "log_ppd_se": log_density_E.std(ddof=1) / np.sqrt(log_density_E.size),
        "mae": np.abs(error_E).mean(),
        "rmse": np.sqrt((error_E**2).mean()),
        "coverage_50": (np.abs(predicted.rank_E - 0.5) < 0.25).mean(),
        "coverage_90": (np.abs(predicted.rank_E - 0.5) < 0.45).mean(),
        "n_entries": len(beta_E),
        "n_draws": fit.draws.phi_MKS.shape[2],
        "n_exact": exact_E.sum(),
    }
    score = {name: float(value) for name, value in score.items()}
    write_score(adata, key, "heldout_score", score)
    return pd.Series(score, name=key)


def _warn_of_other_mask(adata: AnnData, key: str, fit: FittedModel) -> None:
    """Say so if the entries to score are not those that the fit was made without."""
    stored = adata.uns[key].get("held_out")
    is_other = adata.uns[key]["params"].get("mask") != fit.mask
    # After taking a subset of the samples or genes, the checksums cannot be compared.
    if stored is not None and tuple(stored["shape"]) == fit.held_out_NM.shape:
        is_other = zlib.crc32(fit.held_out_NM) != stored["crc32"]
    if is_other:
        logg.warning(
            f"the entries in adata.layers[{fit.mask!r}] are not those held out of the fit under {key!r}: it may have "
            "seen some of them, and the score is then too good."
        )

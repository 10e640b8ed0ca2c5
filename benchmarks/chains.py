"""One chain, and the density of held-out entries along it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from methyl_dncb.model._blocks import Workers
from methyl_dncb.model._density import DncbDensity
from methyl_dncb.model._gibbs import Gibbs
from methyl_dncb.model._start import draw_from_prior, factorise_kl

if TYPE_CHECKING:
    from methyl_dncb.model._state import Problem


def run_chain(beta_NM, held_out, problem: Problem, *, start: str, seed: int, n_sweeps: int, every: int, n_jobs=1):
    """Log densities of held-out entries (evaluations × entries), log likelihoods and shapes, every so many sweeps."""
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(held_out)
    log_densities, log_likelihoods, shapes = [], [], []
    with Workers(n_jobs) as workers:
        gibbs = Gibbs(problem, workers)
        factors = factorise_kl(problem, rng, workers) if start == "nmf" else draw_from_prior(problem, rng)
        state = gibbs.start(factors, np.random.SeedSequence(seed))
        for sweep in range(1, n_sweeps + 1):
            gibbs.sweep(state)
            if sweep % every == 0:
                log_densities.append(held_out_log_density(beta_NM[rows, columns], state, rows, columns))
                log_likelihoods.append(gibbs.log_likelihood(state))
                shapes.append(state.shape)
    return np.array(log_densities, dtype=np.float32), np.array(log_likelihoods), np.array(shapes)


def held_out_log_density(beta, state, rows, columns):
    beta = beta.astype(np.float64)
    rates = [np.einsum("nk,nk->n", theta[rows], state.phi_MK[columns]) for theta in (state.theta1_NK, state.theta2_NK)]
    out = np.empty(beta.size)
    DncbDensity(*state.shape).evaluate(beta, np.log(beta), np.log1p(-beta), *rates, out)
    return out


def pooled_log_density(log_densities):
    """Per entry, the log of the density averaged over draws."""
    top = log_densities.max(axis=0)
    return top + np.log(np.exp(log_densities - top).mean(axis=0))


def ppd(log_densities) -> float:
    """The geometric mean over entries of the density averaged over draws."""
    return float(np.exp(pooled_log_density(log_densities).mean()))

"""Is the sampler's stationary distribution the posterior? Geweke's comparison, calibration, and wrong samplers.

If (θ, φ, β) is a draw from the joint distribution and sweeps leave the posterior given β unchanged, then
(θ, φ) after some sweeps is jointly distributed with β as before. Replicates are independent, so the
difference of any function before and after has mean 0, with a standard error that can be trusted.
"""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from methyl_dncb.model._blocks import Workers
from methyl_dncb.model._fit import fit
from methyl_dncb.model._gibbs import Gibbs
from methyl_dncb.model._schedule import Schedule
from methyl_dncb.model._state import Priors, Problem, State
from tests import reference

PRIOR = (0.9, 0.6, 1.1, 0.7)
REPLICATES = 1500
N_SWEEPS = 4
LIMIT = 6.0

# (n_obs, n_vars, n_components), (ε₁, ε₂), share missing
CASES = {
    "ε < 1": ((4, 5, 2), (0.25, 0.25), 0.0),
    "ε = 1": ((4, 5, 2), (1.0, 1.0), 0.1),
    "ε > 1": ((3, 6, 2), (3.0, 3.0), 0.1),
    "ε₁ ≠ ε₂, most missing": ((5, 4, 2), (0.4, 1.7), 0.6),
    "one component": ((4, 4, 1), (0.75, 0.75), 0.1),
    "more components than samples or genes": ((2, 3, 6), (0.75, 0.25), 0.1),
}


def functions(beta, total, theta1, theta2, phi):
    """Functions of parameters and data whose expectations the sweeps must not change."""
    lam1, lam2 = theta1 @ phi.T, theta2 @ phi.T
    seen = ~np.isnan(beta)
    b = np.where(seen, beta, 0.0)
    n = max(seen.sum(), 1)
    rho = theta1 / (theta1 + theta2)
    return np.array(
        [
            theta1.mean(), theta2.mean(), phi.mean(), np.log(theta1).mean(), np.log(theta2).mean(), np.log(phi).mean(),
            (theta1**2).mean(), (phi**2).mean(), np.sqrt(lam1).mean(), np.sqrt(lam2).mean(), rho[0].mean(),
            np.log1p(total).sum() / n, (b * np.log1p(lam1)).sum() / n, (b * np.log1p(lam2)).sum() / n,
            (b * total).sum() / n, theta1[0, 0], theta2[-1, -1], phi[0, 0], phi[-1, -1], theta1[0, 0] * phi[0, 0],
        ]
    )  # fmt: skip


def identity(problem):
    return problem


def geweke_z(case, seed, mutate=identity, after=None):
    """z-scores of the mean differences; `mutate` and `after` make the sampler wrong on purpose."""
    dims, shape, missing = CASES[case]
    rng = np.random.default_rng([seed, 7])
    differences = []
    with Workers(1) as workers:
        for replicate in range(REPLICATES):
            beta, total, *factors = reference.simulate(*dims, shape, PRIOR, missing, rng)
            before = functions(beta, total, *factors)
            problem = mutate(Problem(beta, dims[2], shape, Priors(*PRIOR)))
            state = State.at(factors, beta.shape, np.random.SeedSequence([seed, replicate]), problem.shape)
            state.total_NM[...] = total
            gibbs = Gibbs(problem, workers)
            for _ in range(N_SWEEPS):
                gibbs.sweep(state)
            theta1, theta2 = (state.theta1_NK, state.theta2_NK) if after is None else after(state)
            total = np.where(np.isnan(beta), 0, state.total_NM)
            differences.append(functions(beta, total, theta1, theta2, state.phi_MK) - before)
    differences = np.array(differences)
    return differences.mean(axis=0) / (differences.std(axis=0) / np.sqrt(REPLICATES) + 1e-12)


@pytest.mark.parametrize("case", CASES)
def test_geweke(case, seed):
    assert np.abs(geweke_z(case, seed)).max() < LIMIT


def shapes_off_by_one(problem):
    return Problem(problem.beta_NM, problem.n_components, tuple(e + 1 for e in problem.shape), problem.priors)


def data_reversed(problem):
    return Problem(1 - problem.beta_NM, problem.n_components, problem.shape, problem.priors)


def missing_counted(problem):
    filled = np.nan_to_num(problem.beta_NM, nan=0.5)
    return Problem(filled, problem.n_components, problem.shape, problem.priors)


def prior_off(problem):
    return Problem(problem.beta_NM, problem.n_components, problem.shape, Priors(0.9, 0.6, 1.1, 1.4))


@pytest.mark.parametrize(
    ("mutation", "case"),
    [
        (shapes_off_by_one, "ε < 1"),
        (data_reversed, "ε < 1"),
        (missing_counted, "ε₁ ≠ ε₂, most missing"),
        (prior_off, "ε₁ ≠ ε₂, most missing"),
    ],
)
def test_geweke_rejects_wrong_samplers(mutation, case, seed):
    assert np.abs(geweke_z(case, seed, mutation)).max() > 2 * LIMIT


def test_geweke_rejects_swapped_loadings(seed):
    z = geweke_z("ε < 1", seed, after=lambda state: (state.theta2_NK, state.theta1_NK))
    assert np.abs(z).max() > 2 * LIMIT


N_RANKS = 20


def calibration_ranks(seed, shape, *, mutate=identity):
    """Ranks of true quantities among the draws of chains that start elsewhere."""
    rng = np.random.default_rng([seed, 11])
    prior = (2.0, 1.0, 2.0, 1.0)
    schedule = Schedule(n_burnin=60, n_draws=N_RANKS - 1, thin=12)
    ranks = []
    for replicate in range(400):
        beta, _, theta1, theta2, phi = reference.simulate(4, 5, 1, shape, prior, 0.1, rng)
        problem = mutate(Problem(beta, 1, shape, Priors(*prior)))
        trace = fit(problem, schedule, init="prior", seed=np.random.SeedSequence([seed, replicate]))
        true = [theta1[0, 0] * phi[0, 0], theta2[1, 0] * phi[1, 0], theta1[2, 0] / (theta1[2, 0] + theta2[2, 0])]
        th1, th2, ph = trace.theta1_NKS[:, 0], trace.theta2_NKS[:, 0], trace.phi_MKS[:, 0]
        drawn = [th1[0] * ph[0], th2[1] * ph[1], th1[2] / (th1[2] + th2[2])]
        ranks.append([(draws < truth).sum() for draws, truth in zip(drawn, true, strict=True)])
    return np.array(ranks)


def uniformity(ranks):
    """The smallest p-value of χ² tests of even ranks, in ten cells of two."""
    cells = [np.bincount(column // 2, minlength=N_RANKS // 2) for column in ranks.T]
    return min(scipy_stats.chisquare(c).pvalue for c in cells)


@pytest.mark.parametrize("shape", [(0.5, 0.5), (0.8, 2.0)])
def test_ranks_are_calibrated(shape, seed):
    assert uniformity(calibration_ranks(seed, shape)) > 1e-8


def test_calibration_rejects_a_wrong_sampler(seed):
    assert uniformity(calibration_ranks(seed, (0.5, 0.5), mutate=data_reversed)) < 1e-8

"""The compiled sweep against the NumPy specification, by conditional means over many repetitions."""

import numpy as np
import pytest

from methyl_dncb.model._blocks import Workers
from methyl_dncb.model._gibbs import Gibbs
from methyl_dncb.model._state import Priors, Problem, State
from tests import reference

REPETITIONS = 1500


def compiled(beta, total, theta1, theta2, phi, shape, prior, seed):
    """One sweep of the package, in the shape of `reference.sweep`'s answer."""
    with Workers(1) as workers:
        state = State.at((theta1, theta2, phi), total.shape, np.random.SeedSequence(seed), shape)
        state.total_NM[...] = total
        Gibbs(Problem(beta, phi.shape[1], shape, Priors(*prior)), workers).sweep(state)
    return state.total_NM, state.theta1_NK, state.theta2_NK, state.phi_MK


def repeat(sweep, seeds):
    """Means and standard errors of what a sweep returns and of the logs of its factors."""
    draws = []
    for seed in seeds:
        total, *factors = sweep(seed)
        draws.append(np.concatenate([np.ravel(a) for a in (total, *factors, *map(np.log, factors))]))
    draws = np.array(draws, dtype=float)
    return draws.mean(axis=0), draws.std(axis=0) / np.sqrt(len(draws))


CASES = {
    "small shapes": ((0.25, 0.25), 0.0, 1.0),
    "unit shapes": ((1.0, 1.0), 0.1, 1.0),
    "large, unequal shapes": ((2.5, 0.6), 0.6, 1.0),
    "counts of every size": ((0.75, 0.75), 0.1, 30.0),
}


@pytest.mark.parametrize("case", CASES)
def test_conditional_means_agree_with_the_reference(case, seed):
    shape, missing, scale = CASES[case]
    prior = (0.8, 0.5, 0.7, 0.4)
    rng = np.random.default_rng([seed, 1])
    beta, total, theta1, theta2, phi = reference.simulate(3, 4, 3, shape, prior, missing, rng)
    theta1[0] *= scale  # a row with counts in the hundreds, beside rows with few
    theta2[0] *= scale
    state = (beta, total, theta1, theta2, phi, shape, prior)
    found, found_error = repeat(lambda s: compiled(*state, [seed, s]), range(REPETITIONS))
    expected, error = repeat(lambda s: reference.sweep(*state, np.random.default_rng([seed, 2, s])), range(REPETITIONS))
    z = (found - expected) / np.sqrt(error**2 + found_error**2 + 1e-20)
    assert np.abs(z).max() < 6.5


@pytest.mark.parametrize("count", [1, 3, 4, 17, 200, 256, 257, 5000])
def test_counts_are_split_in_proportion(count, rng):
    """However large a count is, its parts must be those of the multinomial: means and variances."""
    K, n = 5, 400
    weights = np.array([0.5, 0.0, 0.1, 0.3, 0.1])
    # One row of identical genes whose y₁ is near `count`, and nothing in y₂.
    beta = np.full((1, n), 1.0, dtype=np.float32)
    theta1 = count * weights[None, :] + 1e-300
    phi = np.ones((n, K))
    with Workers(1) as workers:
        gibbs = Gibbs(Problem(beta, K, (1.0, 1.0), Priors()), workers)
        factors = theta1, np.full((1, K), 1e-300), phi
        state = State.at(factors, (1, n), np.random.SeedSequence(int(rng.integers(2**32))), (1.0, 1.0))
        parts = np.zeros((n, K))
        totals = np.zeros(n)
        for _ in range(100):
            parts += gibbs._sweep_rows([state], draw_theta=False)[0][0]
            totals += state.total_NM[0]
    np.testing.assert_array_equal(parts.sum(axis=1), totals)
    assert parts[:, 1].sum() == 0
    z = (parts.sum(axis=0) - totals.sum() * weights)[weights > 0]
    z /= np.sqrt(totals.sum() * (weights * (1 - weights))[weights > 0])
    assert np.abs(z).max() < 6
    spread = ((parts - totals[:, None] * weights) ** 2).sum(axis=0)[weights > 0]
    wanted = (totals.sum() * weights * (1 - weights))[weights > 0]
    assert np.abs(spread / wanted - 1).max() < 6 * np.sqrt(3 / n) + 0.02


def test_exact_zero_and_one_have_counts_on_one_side_only(rng):
    beta = np.array([[0.0, 1.0, 0.5]], dtype=np.float32)
    with Workers(1) as workers:
        gibbs = Gibbs(Problem(beta, 2, (0.5, 0.5), Priors()), workers)
        # β = 0 leaves only y₂, whose rate is nil here; β = 1 only y₁, whose rate is not.
        factors = np.full((1, 2), 4.0), np.full((1, 2), 1e-300), np.ones((3, 2))
        state = State.at(factors, beta.shape, np.random.SeedSequence(int(rng.integers(2**32))), (0.5, 0.5))
        totals = np.array([gibbs._sweep_rows([state], draw_theta=False)[0][0].sum(axis=1) for _ in range(200)])
    assert totals[:, 0].sum() == 0
    assert totals[:, 1].sum() > 0
    assert totals[:, 2].sum() > 0


def test_missing_entries_take_no_part(rng):
    """A row and a column with nothing observed get draws from the prior and no counts."""
    beta = rng.random((6, 7)).astype(np.float32)
    beta[2], beta[:, 3] = np.nan, np.nan
    prior = (3.0, 2.0, 4.0, 5.0)
    theta, phi = [], []
    with Workers(1) as workers:
        gibbs = Gibbs(Problem(beta, 2, (0.75, 0.75), Priors(*prior)), workers)
        state = gibbs.start((np.ones((6, 2)), np.ones((6, 2)), np.ones((7, 2))), np.random.SeedSequence(3))
        for _ in range(2000):
            gibbs.sweep(state)
            theta.append(state.theta1_NK[2].copy())
            phi.append(state.phi_MK[3].copy())
    assert state.total_NM[2].sum() == state.total_NM[:, 3].sum() == 0
    for draws, (shape, rate) in ((theta, prior[:2]), (phi, prior[2:])):
        draws = np.array(draws)
        assert np.abs(draws.mean(axis=0) - shape / rate).max() < 6 * np.sqrt(shape) / rate / np.sqrt(2000)

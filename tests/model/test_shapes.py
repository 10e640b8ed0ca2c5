import numpy as np
from scipy import stats
from scipy.special import gammaln

from methyl_dncb.model._blocks import Workers
from methyl_dncb.model._gibbs import Gibbs
from methyl_dncb.model._shapes import Histograms, draw_shape, sum_logs
from methyl_dncb.model._state import Priors, Problem, State


def test_histograms_count_what_is_inside_and_grow():
    beta = np.array([[0.2, np.nan, 0.0, 1.0], [0.5, 0.9, 0.1, 0.3]], dtype=np.float32)
    first = np.array([[1, 9, 0, 3], [500, 0, 2, 1]], dtype=np.uint32)
    total = np.array([[1, 9, 4, 3], [700, 0, 5, 3]], dtype=np.uint32)
    histograms = Histograms()
    histograms.add(beta, first, total)
    other = Histograms()
    other.merge(histograms)
    inside = (beta > 0) & (beta < 1)
    for counted, values in zip(other.counts_3H, (first, total - first, total), strict=True):
        np.testing.assert_array_equal(counted, np.bincount(values[inside], minlength=counted.size))


def test_draws_follow_the_conditional_density():
    """Moments of many draws against the density summed over a grid."""
    rng = np.random.default_rng(0)
    n, truth, priors = 60, (0.6, 1.4), Priors(s0=2.0, t0=1.5)
    first, second = rng.poisson(1.5, size=(2, n, 1)).astype(np.uint32)
    beta = rng.beta(truth[0] + first, truth[1] + second).astype(np.float32)
    histograms = Histograms()
    histograms.add(beta, first, first + second)
    logs = sum_logs(beta)

    grid = np.linspace(np.log(0.05), np.log(8.0), 240)
    eps1, eps2 = np.exp(grid)[:, None], np.exp(grid)[None, :]
    log_density = priors.s0 * np.log(eps1 * eps2) - priors.t0 * (eps1 + eps2) + eps1 * logs[0] + eps2 * logs[1]
    for a, b in zip(first.ravel(), second.ravel(), strict=True):
        log_density = log_density + gammaln(eps1 + eps2 + a + b) - gammaln(eps1 + a) - gammaln(eps2 + b)
    weight = np.exp(log_density - log_density.max())
    weight /= weight.sum()

    generator, shape, draws = np.random.SFC64(1), (0.05, 5.0), []
    for _ in range(4000):
        shape = draw_shape(shape, histograms, logs, priors, generator)
        draws.append(np.log(shape))
    draws = np.array(draws[100:])
    for r, marginal in enumerate((weight.sum(axis=1), weight.sum(axis=0))):
        mean = (grid * marginal).sum()
        sd = np.sqrt(((grid - mean) ** 2 * marginal).sum())
        # The two alternate, so successive draws are correlated: a tenth of them counts as independent.
        assert abs(draws[:, r].mean() - mean) < 6 * sd / np.sqrt(len(draws) / 10)
        assert 0.85 < draws[:, r].std() / sd < 1.15


N, M, K = 6, 10, 2
PRIORS = Priors(a0=2.0, b0=1.0, e0=2.0, f0=1.0, s0=12.0, t0=12.0)


def joint_draw(rng):
    """Shapes, factors, counts and β from the model; the sampler's state at that very point."""
    shape = tuple(rng.gamma(PRIORS.s0, 1 / PRIORS.t0, size=2))
    theta1, theta2 = rng.gamma(PRIORS.a0, 1 / PRIORS.b0, size=(2, N, K))
    phi = rng.gamma(PRIORS.e0, 1 / PRIORS.f0, size=(M, K))
    first, second = rng.poisson(theta1 @ phi.T), rng.poisson(theta2 @ phi.T)
    beta = rng.beta(shape[0] + first, shape[1] + second).astype(np.float32)
    state = State.at((theta1, theta2, phi), (N, M), np.random.SeedSequence(int(rng.integers(2**32))), shape)
    state.total_NM[:] = first + second
    return Problem(beta, K, shape, PRIORS, learn_shape=True), state


def test_sweeps_leave_the_joint_distribution_alone():
    """Geweke's check with independent replicates: after some sweeps, ε and the rates still follow the prior."""
    rng = np.random.default_rng(3)
    before, after = [], []
    with Workers(1) as workers:
        for _ in range(500):
            problem, state = joint_draw(rng)
            before.append(summary(state))
            gibbs = Gibbs(problem, workers)
            for _ in range(4):
                gibbs.sweep(state)
            after.append(summary(state))
    before, after = np.array(before), np.array(after)
    z = (after.mean(axis=0) - before.mean(axis=0)) / np.sqrt((before.var(axis=0) + after.var(axis=0)) / len(before))
    assert np.abs(z).max() < 6
    for r in range(2):
        assert stats.kstest(np.exp(after[:, r]), "gamma", args=(PRIORS.s0, 0, 1 / PRIORS.t0)).pvalue > 1e-8


def summary(state):
    logs = np.log(state.shape)
    rates = [np.log(theta @ state.phi_MK.T).mean() for theta in (state.theta1_NK, state.theta2_NK)]
    return [*logs, *logs**2, *rates]


def test_ranks_of_the_truth_are_uniform():
    """Simulation-based calibration: the true ε is anywhere among its posterior draws with equal probability."""
    rng = np.random.default_rng(4)
    ranks = []
    with Workers(1) as workers:
        for _ in range(160):
            problem, state = joint_draw(rng)
            truth, gibbs = np.array(state.shape), Gibbs(problem, workers)
            draws = []
            for _ in range(7):
                for _ in range(3):
                    gibbs.sweep(state)
                draws.append(state.shape)
            ranks.append((np.array(draws) < truth).sum(axis=0))
    for r in range(2):
        counts = np.bincount(np.array(ranks)[:, r], minlength=8)
        assert stats.chisquare(counts).pvalue > 1e-8

import mpmath as mp
import numpy as np
import pytest
from scipy import stats as scipy_stats

from methyl_dncb import stats

ORDERS = [-0.989, -0.75, -0.25, 0.0, 0.3, 2.0, 9.99]
ARGUMENTS = [0.0, 1e-9, 1e-3, 0.5, 2.0, 10.0, 55.0, 300.0, 2e3, 1e4]


def exact_logpmf(y, v, a):
    if a == 0:
        return 0.0 if y == 0 else -np.inf
    with mp.workdps(40):
        v, a = mp.mpf(v), mp.mpf(a)
        log_p = (2 * y + v) * mp.log(a / 2) - mp.log(mp.besseli(v, a)) - mp.loggamma(y + 1) - mp.loggamma(y + v + 1)
        return float(log_p)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("v", ORDERS)
@pytest.mark.parametrize("a", ARGUMENTS)
def test_logpmf_agrees_with_mpmath(v, a):
    middle = int(a / 2)
    y = sorted({0, 1, 2, middle // 2, middle, middle + int(3 * np.sqrt(middle + 1)), 2 * middle + 5})
    expected = np.array([exact_logpmf(k, v, a) for k in y])
    found = stats.bessel.logpmf(y, v, a)
    finite = np.isfinite(expected)
    assert np.array_equal(finite, np.isfinite(found))
    found, expected = found[finite], expected[finite]
    assert np.all(np.abs(found - expected) <= 1e-10 * np.maximum(1, np.abs(expected)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("v", ORDERS)
@pytest.mark.parametrize("a", ARGUMENTS)
def test_moments_are_those_of_the_pmf(v, a):
    y = np.arange(int(a / 2 + 20 * np.sqrt(a + 1)) + 30)
    pmf = stats.bessel.pmf(y, v, a)
    assert pmf.sum() == pytest.approx(1, abs=1e-9)
    mean = pmf @ y
    assert stats.bessel.mean(v, a) == pytest.approx(mean, rel=1e-8, abs=1e-12)
    assert stats.bessel.var(v, a) == pytest.approx(pmf @ (y - mean) ** 2, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("v", "a"), [(-0.75, 0.5), (0.0, 3.0), (1.5, 40.0), (-0.25, 70.0), (4.0, 900.0)])
def test_rvs_follow_the_pmf(v, a, rng):
    draws = stats.bessel.rvs(v, a, size=100_000, random_state=rng)
    assert_counts_follow(draws, stats.bessel.pmf(np.arange(draws.max() + 1), v, a))


def assert_counts_follow(draws, pmf):
    """χ² over cells with enough expected counts; the cut-off is one that no seed meets by chance."""
    expected = pmf * draws.size
    observed = np.bincount(draws, minlength=pmf.size)
    common = expected > 20
    cells = np.append(observed[common], observed[~common].sum())
    wanted = np.append(expected[common], draws.size - expected[common].sum())
    if wanted[-1] < 20:
        cells, wanted = cells[:-1], wanted[:-1]
        wanted *= cells.sum() / wanted.sum()
    if cells.size > 1:
        assert scipy_stats.chisquare(cells, wanted).pvalue > 1e-12


def test_calls_broadcast_like_scipy():
    assert stats.bessel.pmf([[0], [1]], [0.0, 1.0, 2.0], 3.0).shape == (2, 3)
    assert stats.bessel.rvs(0.5, [1.0, 50.0], size=(4, 2), random_state=1).shape == (4, 2)
    assert np.isnan(stats.bessel.mean(-1.0, 1.0))
    assert np.isnan(stats.bessel.pmf(0, 0.0, -1.0))
    assert stats.bessel.pmf(-1, 0.0, 1.0) == 0

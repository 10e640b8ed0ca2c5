import mpmath as mp
import numpy as np
import pytest
from scipy import integrate, special
from scipy import stats as scipy_stats

from methyl_dncb import stats


def exact_logpdf(beta, eps1, eps2, lam1, lam2):
    """Ψ₂ as a series of ₁F₁ in the smaller argument, those by their contiguous relation, in 40 digits."""
    with mp.workdps(40):
        beta, eps1, eps2, lam1, lam2 = map(mp.mpf, (beta, eps1, eps2, lam1, lam2))
        eps = eps1 + eps2
        outer, inner = sorted([(lam1 * beta, eps1), (lam2 * (1 - beta), eps2)], key=lambda pair: pair[0])
        here, following = (mp.hyp1f1(eps + j, inner[1], inner[0]) for j in range(2))
        weight, total, j = mp.mpf(1), mp.mpf(0), 0
        while True:
            total += weight * here
            if weight * here < total * mp.mpf(10) ** -25 and j > outer[0]:
                break
            a = eps + j + 1
            here, following = following, ((2 * a - inner[1] + inner[0]) * following + (inner[1] - a) * here) / a
            weight *= outer[0] * (eps + j) / ((j + 1) * (outer[1] + j))
            j += 1
        log_beta = mp.loggamma(eps) - mp.loggamma(eps1) - mp.loggamma(eps2)
        log_p = (eps1 - 1) * mp.log(beta) + (eps2 - 1) * mp.log(1 - beta) + log_beta - lam1 - lam2 + mp.log(total)
        return float(log_p)


def parameter_points(rng, n):
    """Parameters over the whole promised range, its edges included."""
    for _ in range(n):
        eps1, eps2 = np.exp(rng.uniform(np.log(0.05), np.log(10), size=2))
        lam1, lam2 = rng.choice([0.0, 1.0], p=[0.1, 0.9], size=2) * 10 ** rng.uniform(-3, 4, size=2)
        near = 10 ** rng.uniform(-8, -0.3)
        yield rng.choice([rng.uniform(0.01, 0.99), near, 1 - near]), eps1, eps2, lam1, lam2
    yield 1e-8, 0.05, 10.0, 1e4, 1e4
    yield 1 - 1e-8, 0.05, 0.05, 1e4, 1e4
    yield 0.5, 10.0, 10.0, 1e4, 1e4
    yield 0.5, 0.05, 0.05, 0.0, 0.0


@pytest.mark.filterwarnings("error")
def test_logpdf_agrees_with_mpmath(rng):
    for point in parameter_points(rng, 400):
        expected = exact_logpdf(*point)
        assert abs(stats.dncb.logpdf(*point) - expected) <= 1e-9 * max(1, abs(expected)), point


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seam", [99.0, 99.999, 100.001, 101.0])
def test_series_and_integral_agree_where_they_meet(seam):
    """T² = seam on either side of the switch between the two methods."""
    for share in (0.5, 0.99, 1.0):
        x1, x2 = seam * share**2, seam * (1 - share) ** 2
        point = (0.3, 0.75, 2.0, x1 / 0.3, x2 / 0.7)
        assert stats.dncb.logpdf(*point) == pytest.approx(exact_logpdf(*point), rel=1e-10, abs=1e-10)


PARAMETERS = [
    (0.75, 0.75, 4.0, 1.0),
    (0.25, 0.25, 0.0, 0.0),
    (2.0, 3.0, 10.0, 40.0),
    (0.1, 5.0, 300.0, 2.0),
    (1.0, 1.0, 0.0, 7.0),
    (9.0, 0.5, 20.0, 300.0),
]


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_beta_is_the_special_case_without_counts(parameters):
    beta = np.array([1e-6, 0.2, 0.5, 0.93])
    eps1, eps2, *_ = parameters
    np.testing.assert_allclose(
        stats.dncb.logpdf(beta, eps1, eps2, 0, 0), scipy_stats.beta.logpdf(beta, eps1, eps2), rtol=1e-12, atol=1e-12
    )


def mixture(parameters):
    """The Poisson mixture that defines the distribution: weights and beta parameters on a grid of counts."""
    eps1, eps2, lam1, lam2 = parameters
    y1, y2 = (np.arange(int(lam + 12 * np.sqrt(lam + 1)) + 20) for lam in (lam1, lam2))
    weight = scipy_stats.poisson.pmf(y1, lam1)[:, None] * scipy_stats.poisson.pmf(y2, lam2)
    return weight, eps1 + y1[:, None], eps2 + y2[None, :]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("parameters", PARAMETERS)
def test_cdf_and_moments_are_those_of_the_mixture(parameters):
    weight, a, b = mixture(parameters)
    for x in (1e-4, 0.1, 0.4, 0.7, 0.999):
        expected = (weight * special.betainc(a, b, x)).sum()
        assert stats.dncb.cdf(x, *parameters) == pytest.approx(expected, abs=1e-10)
        assert stats.dncb.sf(x, *parameters) == pytest.approx(1 - expected, abs=1e-10)
    mean = (weight * a / (a + b)).sum()
    spread = (weight * (a * b / ((a + b) ** 2 * (a + b + 1)) + (a / (a + b) - mean) ** 2)).sum()
    assert stats.dncb.mean(*parameters) == pytest.approx(mean, rel=1e-10)
    assert stats.dncb.var(*parameters) == pytest.approx(spread, rel=1e-7)


def test_mean_is_the_papers_formula_and_rises_with_lam1():
    eps1, eps2, lam1, lam2 = 0.7, 1.2, 3.0, 5.0
    with mp.workdps(30):
        eps, lam = mp.mpf(eps1) + eps2, mp.mpf(lam1) + lam2
        paper = (eps1 / (eps * mp.exp(lam))) * (
            mp.hyp1f1(eps, eps + 1, lam) + eps * lam1 / (eps1 * (eps + 1)) * mp.hyp1f1(eps + 1, eps + 2, lam)
        )
    assert stats.dncb.mean(eps1, eps2, lam1, lam2) == pytest.approx(float(paper), rel=1e-12)
    assert np.all(np.diff(stats.dncb.mean(eps1, eps2, np.linspace(0, 50, 20), lam2)) > 0)


def test_moments_stay_exact_for_large_noncentralities():
    with mp.workdps(40):
        for lam1, lam2 in ((30.0, 30.0), (49.0, 2.0), (400.0, 3.0), (1e4, 1e4)):
            eps1, eps2 = mp.mpf(0.75), mp.mpf(0.5)
            eps, lam = eps1 + eps2, mp.mpf(lam1) + lam2
            weight = mp.hyp1f1(1, 1 + eps, -lam)
            expected = weight * eps1 / eps + (1 - weight) * lam1 / lam
            assert stats.dncb.mean(0.75, 0.5, lam1, lam2) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("parameters", [(1.5, 2.0, 4.0, 1.0), (3.0, 1.2, 50.0, 80.0)])
def test_pdf_integrates_to_one(parameters):
    total, _ = integrate.quad(lambda x: stats.dncb.pdf(x, *parameters), 0, 1, epsabs=1e-11)
    assert total == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_rvs_follow_the_cdf(parameters, rng):
    draws = stats.dncb.rvs(*parameters, size=2000, random_state=rng)
    assert scipy_stats.kstest(draws, lambda x: stats.dncb.cdf(x, *parameters)).pvalue > 1e-12


def test_logs_reach_where_beta_itself_cannot():
    log_beta = -200.0
    found = stats.dncb.logpdf_from_logs(log_beta, -np.exp(log_beta), 0.02, 0.02, 1.0, 1.0)
    assert found == pytest.approx(exact_logpdf(mp.exp(log_beta), 0.02, 0.02, 1.0, 1.0), rel=1e-10)
    inside = np.array([0.2, 0.9])
    np.testing.assert_allclose(
        stats.dncb.logpdf_from_logs(np.log(inside), np.log1p(-inside), 0.5, 2.0, 3.0, 4.0),
        stats.dncb.logpdf(inside, 0.5, 2.0, 3.0, 4.0),
        rtol=1e-12,
    )


def test_ends_and_nonsense():
    assert stats.dncb.pdf(0, 0.5, 2.0, 1.0, 1.0) == np.inf
    assert stats.dncb.pdf(0, 2.0, 2.0, 1.0, 1.0) == 0
    assert np.isfinite(stats.dncb.pdf([0, 1], 1.0, 1.0, 3.0, 2.0)).all()
    assert np.array_equal(stats.dncb.pdf([-0.1, 1.1], 0.5, 0.5, 1, 1), [0, 0])
    assert np.isnan(stats.dncb.pdf(0.5, [0, -1, np.nan], 1, 1, 1)).all()
    assert np.isnan(stats.dncb.pdf(0.5, 1, 1, -1, 1))
    assert np.isnan(stats.dncb.pdf(np.nan, 1, 1, 1, 1))


@pytest.mark.parametrize("x", [1e-12, 0.4, 0.999])
def test_cdf_is_quick_far_from_the_mass(x):
    assert stats.dncb.cdf(x, 9.0, 0.5, 60.0, 2000.0) == pytest.approx(float(x > 0.1), abs=1e-15)


def test_many_shapes_at_once():
    eps = np.linspace(0.1, 3, 7)
    together = stats.dncb.logpdf(0.3, eps, eps[::-1], 5.0, np.arange(7.0))
    alone = [stats.dncb.logpdf(0.3, a, b, 5.0, c) for a, b, c in zip(eps, eps[::-1], range(7), strict=True)]
    np.testing.assert_array_equal(together, alone)

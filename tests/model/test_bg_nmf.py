from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaln, gammaln, polygamma, psi

from methyl_dncb import datasets
from methyl_dncb.model._beta_bound import bound_terms
from methyl_dncb.model._bg_nmf import Gammas, fit_bg_nmf
from methyl_dncb.model._state import Priors

TAU = 1 - np.log(2)


def fit(beta, n_components=5, *, n_iterations=60, tol=0.0, n_jobs=1, seed=0, prior=(0.1, 0.1, 0.1, 0.1)):
    rng = np.random.default_rng(seed)
    return fit_bg_nmf(
        beta, n_components, priors=Priors(*prior), n_iterations=n_iterations, tol=tol, n_jobs=n_jobs, rng=rng
    )


def numpy_terms(log_beta, log_rest, geo1, geo2, mean1, mean2):
    """What the kernel's docstring says it computes."""
    total, mean = geo1 + geo2, mean1 + mean2
    bound = gammaln(1 + total) - gammaln(1 + geo1) - gammaln(1 + geo2) + np.log(geo1 * geo2 / mean)
    bound += TAU * (total - mean) + (mean1 - 1) * log_beta + (mean2 - 1) * log_rest
    slopes = [1 / geo + psi(1 + total) - psi(1 + geo) + TAU for geo in (geo1, geo2)]
    slopes += [TAU + 1 / mean - log for log in (log_beta, log_rest)]
    observed = ~np.isnan(log_beta)
    return bound[observed].sum(), [np.where(observed, slope, 0) for slope in slopes]


def test_kernel_equals_its_numpy_form():
    rng = np.random.default_rng(0)
    beta = rng.random((6, 200))
    beta[rng.random(beta.shape) < 0.2] = np.nan
    means = [np.exp(rng.uniform(-12, 12, beta.shape)) for _ in range(4)]
    expected, slopes = numpy_terms(np.log(beta), np.log1p(-beta), *means)
    got = [mean.copy() for mean in means]
    assert bound_terms(np.log(beta), np.log1p(-beta), *got) == pytest.approx(expected, rel=1e-9)
    for ours, theirs in zip(got, slopes, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8)


def test_tau_makes_the_normaliser_convex_and_no_less_would():
    a, b = np.meshgrid(np.logspace(-6, 5, 150), np.logspace(-6, 5, 150))
    trigamma = polygamma(1, 1 + a + b)
    curve_a = (psi(1 + a + b) - psi(1 + a)) + a * (trigamma - polygamma(1, 1 + a))
    curve_b = (psi(1 + a + b) - psi(1 + b)) + b * (trigamma - polygamma(1, 1 + b))
    cross = a * b * trigamma**2
    needed = (np.sqrt((curve_a - curve_b) ** 2 + 4 * cross) - curve_a - curve_b) / 2
    assert needed.max() <= TAU
    assert needed.max() > TAU - 1e-4


@pytest.mark.parametrize("scale", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("spread", [0.5, 5.0, 100.0])
def test_bound_lies_below_the_expectation(scale, spread, rng):
    """E over gamma factors by Monte Carlo, for factors from vague to sharp."""
    theta1, theta2, phi = (Gammas(np.full(3, spread), spread / (scale * rng.gamma(2, 0.5, 3) + 1e-3)) for _ in range(3))
    beta = rng.beta(0.7, 0.7, 40)
    draws1, draws2, weights = (factor.draw(100_000, rng) for factor in (theta1, theta2, phi))
    a, b = (draws1 * weights).sum(axis=0), (draws2 * weights).sum(axis=0)
    density = np.log(beta).sum() * (a - 1) + np.log1p(-beta).sum() * (b - 1) - len(beta) * betaln(a, b)
    geo = [np.full((1, 40), (theta.geometric * phi.geometric).sum()) for theta in (theta1, theta2)]
    mean = [np.full((1, 40), (theta.mean * phi.mean).sum()) for theta in (theta1, theta2)]
    bound = bound_terms(np.log(beta)[None], np.log1p(-beta)[None], *geo, *mean)
    assert bound < density.mean() + 6 * density.std() / np.sqrt(len(density))


@pytest.mark.parametrize("missing", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("n_components", [1, 5, 45])
def test_bound_rises_at_every_iteration(missing, n_components, seed):
    beta = datasets.simulate_groups(40, 90, missing=missing, rng=seed).X.astype(float)
    beta[3] = np.nan
    beta[:, 7] = np.nan
    trace = fit(beta, n_components, seed=seed).bound
    assert len(trace) == 60
    assert np.diff(trace).min() > -1e-9 * abs(trace[-1])
    assert trace[-1] - trace[0] > 100


def test_bound_rises_from_other_priors_and_extreme_values():
    beta = np.random.default_rng(0).beta(0.05, 0.05, (30, 50)).clip(1e-30, 1 - 1e-12)
    trace = fit(beta, 3, prior=(3.0, 0.01, 0.5, 20.0)).bound
    assert np.isfinite(trace).all()
    assert np.diff(trace).min() > -1e-9 * abs(trace[-1])


def test_stops_when_the_bound_has_settled():
    beta = datasets.simulate_groups(40, 90, rng=0).X
    short, long = fit(beta, tol=5e-3, n_iterations=500), fit(beta, tol=5e-4, n_iterations=500)
    assert short.converged
    assert long.converged
    assert len(short.bound) < len(long.bound) < 500
    assert long.bound[-1] - long.bound[-2] < 5e-4 * beta.size
    assert not fit(beta, n_iterations=3).converged


def test_rows_and_columns_without_data_keep_their_prior():
    beta = datasets.simulate_groups(20, 40, rng=0).X
    beta[4] = np.nan
    beta[:, 9] = np.nan
    fitted = fit(beta, 3, prior=(0.3, 0.7, 0.2, 0.9))
    for factor, part in ((fitted.theta1, np.s_[4]), (fitted.theta2, np.s_[4]), (fitted.phi, np.s_[:, 9])):
        prior = (0.2, 0.9) if factor is fitted.phi else (0.3, 0.7)
        np.testing.assert_array_equal(factor.shape[part], prior[0])
        np.testing.assert_array_equal(factor.rate[part], prior[1])


def test_any_number_of_threads_gives_the_same_bits():
    beta = datasets.simulate_groups(50, 90, missing=0.1, rng=0).X
    one, three = fit(beta, n_jobs=1), fit(beta, n_jobs=3)
    np.testing.assert_array_equal(one.bound, three.bound)
    np.testing.assert_array_equal(one.phi.shape, three.phi.shape)


def test_fits_the_levels_it_was_made_with():
    """Beta data of known parameters: the fitted mean of each entry comes close to the true one."""
    rng = np.random.default_rng(0)
    theta1, theta2 = rng.gamma(0.5, 12.0, (80, 3)), rng.gamma(0.5, 12.0, (80, 3))
    phi = rng.gamma(0.5, 2.0, (3, 120))
    a, b = theta1 @ phi + 0.05, theta2 @ phi + 0.05
    beta = rng.beta(a, b).clip(1e-6, 1 - 1e-6)
    hidden = rng.random(beta.shape) < 0.1
    fitted = fit(np.where(hidden, np.nan, beta), 3, n_iterations=300)
    a_hat, b_hat = fitted.theta1.mean @ fitted.phi.mean, fitted.theta2.mean @ fitted.phi.mean
    error = np.abs(a_hat / (a_hat + b_hat) - a / (a + b))[hidden]
    baseline = np.abs(beta[~hidden].mean() - a / (a + b))[hidden]
    assert error.mean() < 0.25 * baseline.mean()


def test_draws_have_the_mean_of_their_gammas(rng):
    gammas = Gammas(np.array([[0.2, 3.0]]), np.array([[0.5, 10.0]]))
    draws = gammas.draw(100_000, rng)
    assert draws.shape == (1, 2, 100_000)
    sigma = np.sqrt(gammas.shape) / gammas.rate
    assert (np.abs(draws.mean(axis=2) - gammas.mean) < 6 * sigma / np.sqrt(100_000)).all()
    assert (draws > 0).all()

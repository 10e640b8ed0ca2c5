from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from methyl_dncb import stats
from methyl_dncb.model._predictive import (
    BetaLikelihood,
    DncbLikelihood,
    Draws,
    TruncatedGaussianLikelihood,
    predict_entries,
)

N, M, K, S = 6, 8, 3, 40


def draws(likelihood, seed=0):
    rng = np.random.default_rng(seed)
    factors = [rng.gamma(1.0, 1.5, (length, K, S)).astype(np.float32) for length in (N, N, M)]
    return Draws(likelihood, *factors)


def entries(seed=0, size=500):
    rng = np.random.default_rng(seed)
    return rng.beta(0.7, 0.7, size).clip(1e-4, 1 - 1e-4), rng.integers(0, N, size), rng.integers(0, M, size)


def test_learned_shapes_go_with_their_draws():
    shape_S2 = np.random.default_rng(3).gamma(2.0, 0.3, (S, 2))
    fitted, (beta, row, column) = draws(DncbLikelihood(shape_S2)), entries(size=30)
    rates = fitted.rates(row, column)
    theirs = stats.dncb(shape_S2[:, 0], shape_S2[:, 1], *rates)
    np.testing.assert_allclose(fitted.log_density(beta, row, column), theirs.logpdf(beta[:, None]), rtol=1e-7)
    np.testing.assert_allclose(fitted.likelihood.mean(*rates), theirs.mean(), rtol=1e-7)
    # Entries and draws in one axis, draws fastest.
    flat = fitted.likelihood.log_density(np.array([[0.3]]), *(rate.reshape(1, -1) for rate in rates))
    np.testing.assert_allclose(flat.reshape(30, S), theirs.logpdf(0.3), rtol=1e-7)


def test_rates_are_the_products():
    fitted, (_, row, column) = draws(BetaLikelihood()), entries(size=20)
    rate1, rate2 = fitted.rates(row, column)
    for e, s in ((0, 0), (7, 3), (19, 39)):
        phi = fitted.phi_MKS[column[e], :, s]
        assert rate1[e, s] == pytest.approx(fitted.theta1_NKS[row[e], :, s] @ phi, rel=1e-5)
        assert rate2[e, s] == pytest.approx(fitted.theta2_NKS[row[e], :, s] @ phi, rel=1e-5)


SIGMA = 0.2
CASES = {
    "dncb": (DncbLikelihood((0.25, 0.6)), lambda a, b: stats.dncb(0.25, 0.6, a, b)),
    "beta": (BetaLikelihood(), scipy_stats.beta),
    "gaussian": (
        TruncatedGaussianLikelihood(SIGMA),
        lambda a, b: scipy_stats.truncnorm(-a / SIGMA, np.inf, a, SIGMA),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_density_and_mean_are_averaged_over_draws(case):
    likelihood, distribution = CASES[case]
    fitted, (beta, row, column) = draws(likelihood), entries(size=60)
    rates = fitted.rates(row, column)
    if case == "gaussian":  # near the data, so that no density underflows
        fitted.theta1_NKS[:] /= rates[0].mean()
        rates = fitted.rates(row, column)
    theirs = distribution(*rates)
    predicted = predict_entries(fitted, beta, row, column, seed=np.random.SeedSequence(0))
    np.testing.assert_allclose(predicted.log_density_E, np.log(theirs.pdf(beta[:, None]).mean(axis=1)), rtol=1e-7)
    np.testing.assert_allclose(predicted.mean_E, theirs.mean().mean(axis=1), rtol=1e-7)


@pytest.mark.parametrize("case", CASES)
def test_ranks_are_uniform_for_values_from_the_prediction_itself(case, seed):
    likelihood, distribution = CASES[case]
    fitted, (_, row, column) = draws(likelihood, seed), entries(seed, size=20_000)
    rng = np.random.default_rng(seed + 1)
    rate1, rate2 = fitted.rates(row, column)
    chosen = np.arange(len(row)), rng.integers(0, S, len(row))
    beta = distribution(rate1[chosen], rate2[chosen]).rvs(random_state=rng)
    if case != "gaussian":  # which alone may exceed 1
        beta = beta.clip(1e-12, 1 - 1e-12)
    rank = predict_entries(fitted, beta, row, column, seed=np.random.SeedSequence(0)).rank_E
    assert scipy_stats.kstest(rank, "uniform").pvalue > 1e-9
    # And are not for values from somewhere else.
    rank = predict_entries(fitted, np.full(len(row), 0.5), row, column, seed=np.random.SeedSequence(0)).rank_E
    assert scipy_stats.kstest(rank, "uniform").pvalue < 1e-12


def test_threads_do_not_change_anything(monkeypatch):
    monkeypatch.setattr("methyl_dncb.model._predictive.WORK_SIZE", 20 * K * S)
    fitted, (beta, row, column) = draws(DncbLikelihood((0.75, 0.75))), entries()
    one, three = (predict_entries(fitted, beta, row, column, seed=np.random.SeedSequence(5), n_jobs=n) for n in (1, 3))
    np.testing.assert_array_equal(one.log_density_E, three.log_density_E)
    np.testing.assert_array_equal(one.rank_E, three.rank_E)


def test_vanishing_rates_stay_finite():
    fitted = draws(BetaLikelihood())
    for factor in (fitted.theta1_NKS, fitted.theta2_NKS):
        factor[0] = np.finfo(np.float32).tiny
    fitted.phi_MKS[:] = 1e-20
    with np.errstate(all="raise", under="ignore"):
        predicted = fitted.predict(np.array([0.3]), np.array([0]), np.array([0]), np.random.default_rng(0))
    assert np.isfinite(predicted.log_density_E).all()
    assert np.isfinite(predicted.mean_E).all()

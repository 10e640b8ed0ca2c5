"""Where chains start: NMF factors that fit the data, at the scale of the data's noise."""

import numpy as np
import pytest

from methyl_dncb.model._blocks import Workers
from methyl_dncb.model._start import draw_from_prior, factorise_kl
from methyl_dncb.model._state import Priors, Problem


def planted(strength, missing, rng):
    """β of three disjoint gene sets and loadings that vary freely, with λ₁ + λ₂ near `strength`."""
    N, M, K = 60, 90, 3
    phi = np.kron(np.eye(K), np.ones((M // K, 1)))
    rho = rng.beta(0.5, 0.5, size=(N, K))
    lam1, lam2 = strength * rho @ phi.T, strength * (1 - rho) @ phi.T
    beta = rng.beta(0.75 + rng.poisson(lam1), 0.75 + rng.poisson(lam2)).astype(np.float32)
    beta[rng.random(beta.shape) < missing] = np.nan
    return beta, lam1 / strength


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("strength", [5.0, 30.0, 200.0])
def test_nmf_finds_the_means_and_the_scale(strength, missing, rng):
    beta, mean = planted(strength, missing, rng)
    with Workers(1) as workers:
        theta1, theta2, phi = factorise_kl(Problem(beta, 3, (0.75, 0.75)), rng, workers)
    lam1, lam2 = theta1 @ phi.T, theta2 @ phi.T
    assert np.corrcoef((lam1 / (lam1 + lam2)).ravel(), mean.ravel())[0, 1] > 0.9
    assert 0.4 < np.median(lam1 + lam2) / strength < 2.5


def test_nothing_observed_is_no_obstacle(rng):
    beta, _ = planted(10.0, 0.1, rng)
    beta[3], beta[:, 5] = np.nan, np.nan
    beta[4] = 0.0
    with Workers(1) as workers:
        factors = factorise_kl(Problem(beta, 4, (0.25, 2.0)), rng, workers)
    assert all(np.isfinite(factor).all() and (factor >= 0).all() for factor in factors)


def test_prior_draws_have_the_prior_means(rng):
    beta = np.full((300, 400), 0.5, dtype=np.float32)
    theta1, theta2, phi = draw_from_prior(Problem(beta, 5, (1.0, 1.0), Priors(2.0, 4.0, 3.0, 1.5)), rng)
    for draws, shape, rate in ((theta1, 2.0, 4.0), (theta2, 2.0, 4.0), (phi, 3.0, 1.5)):
        assert abs(draws.mean() - shape / rate) < 6 * np.sqrt(shape) / rate / np.sqrt(draws.size)

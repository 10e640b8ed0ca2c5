from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from methyl_dncb.model._nmf_frobenius import refine_over_observed, truncated_gaussian_logpdf


def data(missing: float, seed: int = 0):
    rng = np.random.default_rng(seed)
    full = rng.gamma(0.5, 1, (40, 3)) @ rng.gamma(0.5, 1, (3, 60))
    hidden = rng.random(full.shape) < missing
    return full, np.where(hidden, np.nan, full), rng.random((40, 3)), rng.random((3, 60))


@pytest.mark.parametrize("missing", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("seed", range(3))
def test_error_never_rises_and_factors_stay_non_negative(missing, seed):
    _, observed, weight, phi = data(missing, seed)
    weight, phi, losses = refine_over_observed(observed, weight, phi, n_iterations=100, tol=0.0)
    assert (np.diff(losses) <= 1e-12 * losses[0]).all()
    assert losses[-1] < losses[0] / 20
    assert weight.min() >= 0
    assert phi.min() >= 0


def test_exact_low_rank_data_are_completed():
    full, observed, weight, phi = data(0.2)
    weight, phi, _ = refine_over_observed(observed, weight, phi, n_iterations=3000, tol=0.0)
    np.testing.assert_allclose(weight @ phi, full, atol=0.05 * full.std())


def test_losses_are_those_of_observed_entries_and_tol_stops():
    _, observed, weight, phi = data(0.3)
    expected = np.nanmean((observed - weight @ phi) ** 2)
    _, _, losses = refine_over_observed(observed, weight, phi, n_iterations=500, tol=1e-2)
    assert losses[0] == pytest.approx(expected)
    assert len(losses) < 500


def test_density_is_the_truncated_gaussian():
    x, mean, sigma = np.linspace(0.01, 0.99, 50), np.linspace(-0.2, 1.3, 50), 0.3
    expected = stats.truncnorm.logpdf(x, -mean / sigma, np.inf, loc=mean, scale=sigma)
    np.testing.assert_allclose(truncated_gaussian_logpdf(x, mean, sigma), expected, rtol=1e-10)

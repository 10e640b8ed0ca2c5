from __future__ import annotations

import numpy as np
import pytest

from methyl_dncb import datasets


def test_factors_follow_their_priors(seed):
    adata = datasets.dncb_mf_prior(200, 400, 20, prior=(2.0, 4.0, 3.0, 0.5), rng=seed)
    for factor, shape, rate in (
        (adata.obsm["truth_theta1"], 2.0, 4.0),
        (adata.obsm["truth_theta2"], 2.0, 4.0),
        (adata.varm["truth_phi"], 3.0, 0.5),
    ):
        sigma = np.sqrt(shape) / rate
        assert abs(factor.mean() - shape / rate) < 6 * sigma / np.sqrt(factor.size)
        # The kurtosis of a gamma is 3 + 6/shape, hence the variance of the sample variance.
        assert abs(factor.var() / sigma**2 - 1) < 6 * np.sqrt((2 + 6 / shape) / factor.size)


def test_beta_follows_the_rates_of_the_truth(seed):
    adata = datasets.dncb_mf_prior(300, 300, 3, prior=(3.0, 1.0, 3.0, 1.0), shape=(0.5, 2.0), rng=seed)
    phi = adata.varm["truth_phi"]
    lam1, lam2 = adata.obsm["truth_theta1"] @ phi.T, adata.obsm["truth_theta2"] @ phi.T
    n = np.random.default_rng(seed + 1).poisson(lam1 + lam2)
    residual = adata.X - (0.5 + n * lam1 / (lam1 + lam2)) / (2.5 + n)
    assert abs(residual.mean()) < 6 * residual.std() / np.sqrt(residual.size)


def test_default_prior_is_finite_seeded_and_open():
    adata = datasets.dncb_mf_prior(rng=7)
    assert np.isfinite(adata.obsm["X_truth"]).all()
    assert ((adata.X > 0) & (adata.X < 1)).all()
    np.testing.assert_array_equal(adata.X, datasets.dncb_mf_prior(rng=7).X)
    assert np.isnan(datasets.dncb_mf_prior(missing=0.25, rng=7).X).mean() == 0.25


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"prior": (1.0, 1.0)}, "prior takes one number or 4, not 2"),
        ({"prior": (1.0, 1.0, 0.0, 1.0)}, "prior must be above 0"),
        ({"missing": -0.1}, "missing must be a number"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.dncb_mf_prior(**arguments)

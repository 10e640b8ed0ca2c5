import numpy as np
import pytest

import methyl_dncb as md


@pytest.fixture(scope="module")
def fitted():
    """A fit with a fifth of its entries missing; the truth is in a layer."""
    adata = md.datasets.simulate_groups(60, 80, n_groups=2, strength=10, rng=0)
    adata.layers["truth"] = adata.X.copy()
    adata.X[np.random.default_rng(1).random(adata.shape) < 0.2] = np.nan
    genes = np.arange(80) < 76
    md.tl.dncb_mf(adata, 6, n_burnin=300, n_draws=100, thin=4, keep_draws=True, mask_var=genes, rng=0)
    return adata


def test_missing_entries_get_a_mean_and_a_calibrated_interval(fitted):
    md.tl.impute(fitted, rng=0)
    missing = np.isnan(fitted.X)
    imputed, low, high = (fitted.layers[name] for name in ("imputed", "imputed_low", "imputed_high"))
    np.testing.assert_array_equal(imputed[~missing], fitted.X[~missing])
    outside = np.arange(80) >= 76
    assert np.isnan(imputed[missing & outside]).all()
    here = missing & ~outside
    assert np.isnan(low[~here]).all()
    truth = fitted.layers["truth"][here]
    assert np.corrcoef(imputed[here], truth)[0, 1] > 0.7
    assert ((low < high) & (low <= imputed) & (imputed <= high))[here].mean() > 0.99
    assert 0.85 < ((low[here] < truth) & (truth < high[here])).mean() < 0.95


def test_the_mean_is_that_of_the_predictive_distribution(fitted):
    md.tl.impute(fitted, "all", n_samples=100, rng=0, key_added="predicted")
    i, j = 4, 9
    phi = fitted.varm["dncb_mf_phi_draws"][j].astype(float)
    lam1, lam2 = ((fitted.obsm[f"dncb_mf_theta{r}_draws"][i] * phi).sum(axis=0) for r in (1, 2))
    rng = np.random.default_rng(2)
    samples = rng.beta(0.75 + rng.poisson(lam1, (2000, 100)), 0.75 + rng.poisson(lam2, (2000, 100)))
    assert fitted.layers["predicted"][i, j] == pytest.approx(samples.mean(), abs=6 * samples.std() / np.sqrt(2e5))
    assert np.isfinite(fitted.layers["predicted"][:, :76]).all()


def test_the_same_seed_repeats_the_interval(fitted):
    one, two = (md.tl.impute(fitted, rng=5, n_samples=100, copy=True) for _ in range(2))
    np.testing.assert_array_equal(one.layers["imputed_high"], two.layers["imputed_high"])


def test_bad_input_is_named(fitted):
    with pytest.raises(ValueError, match='"missing" or "all"'):
        md.tl.impute(fitted, "some")
    with pytest.raises(ValueError, match="interval must be from"):
        md.tl.impute(fitted, interval=90)
    with pytest.raises(ValueError, match="no fit"):
        md.tl.impute(fitted, key="other")
    bare = fitted.copy()
    del bare.varm["dncb_mf_phi_draws"]
    with pytest.raises(ValueError, match="keep_draws=True"):
        md.tl.impute(bare)

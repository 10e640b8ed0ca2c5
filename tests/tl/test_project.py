import anndata as ad
import numpy as np
import pytest

import methyl_dncb as md


@pytest.fixture(scope="module")
def halves():
    """A fitted reference, and new samples of the same groups."""
    adata = md.datasets.simulate_groups(60, 80, n_groups=2, strength=30, rng=3)
    old, new = adata[::2].copy(), adata[1::2].copy()
    md.tl.dncb_mf(old, 6, shape="auto", n_burnin=300, n_draws=30, thin=5, keep_draws=True, rng=0)
    return old, new


def test_samples_that_were_in_the_fit_are_found_again(halves):
    old, _ = halves
    again = md.tl.project(old, old, rng=0, copy=True, key_added="again")
    used = old.obsm["dncb_mf_theta1"] + old.obsm["dncb_mf_theta2"] > 1.0
    found, fitted = again.obsm["X_again"][used], old.obsm["X_dncb_mf"][used]
    assert np.abs(found - fitted).mean() < 0.05
    np.testing.assert_allclose(again.varm["again_phi"], old.varm["dncb_mf_phi"])


@pytest.mark.parametrize("propagate", [False, True])
def test_new_samples_are_told_apart_as_the_old_ones_are(halves, propagate):
    old, new = halves
    new = md.tl.project(new, old, propagate=propagate, keep_draws=True, rng=1, copy=True)
    centre = np.array([old.obsm["X_dncb_mf"][old.obs["group"] == g].mean(axis=0) for g in ("G1", "G2")])
    distance = np.linalg.norm(new.obsm["X_dncb_mf"][:, None] - centre, axis=2)
    assert (np.array(["G1", "G2"])[distance.argmin(axis=1)] == new.obs["group"]).mean() > 0.95
    assert new.obsm["dncb_mf_theta1_draws"].shape == (30, 6, 30 if propagate else 100)
    assert ("dncb_mf_phi_draws" in new.varm) == propagate
    assert ("shape_draws" in new.uns["dncb_mf"]) == propagate
    md.tl.compare_groups(new, "group", rng=0)
    md.tl.impute(new, "all", n_samples=50, rng=0)
    assert np.abs(new.layers["imputed"] - new.X).mean() < 0.15


def test_propagating_carries_the_uncertainty_of_phi(halves):
    old, new = halves
    first = old.varm["dncb_mf_phi_draws"][:, :, :1]
    noise = np.random.default_rng(0).gamma(1.0, size=old.varm["dncb_mf_phi_draws"].shape)
    spread = {}
    for name, draws in (("sure", np.ones_like(noise) * first), ("unsure", noise * first)):
        reference = old.copy()
        reference.varm["dncb_mf_phi_draws"] = draws.astype(np.float32)
        done = md.tl.project(new, reference, propagate=True, keep_draws=True, rng=1, copy=True)
        theta1, theta2 = done.obsm["dncb_mf_theta1_draws"], done.obsm["dncb_mf_theta2_draws"]
        spread[name] = (theta1 / (theta1 + theta2)).std(axis=2).mean()
    assert spread["unsure"] > spread["sure"]


def test_genes_are_aligned_by_name(halves):
    old, new = halves
    order = np.random.default_rng(0).permutation(80)
    shuffled = new[:, order].copy()
    plain, moved = (md.tl.project(data, old, rng=2, copy=True) for data in (new, shuffled))
    used = plain.obsm["dncb_mf_theta1"] + plain.obsm["dncb_mf_theta2"] > 1.0
    assert np.abs(plain.obsm["X_dncb_mf"] - moved.obsm["X_dncb_mf"])[used].mean() < 0.05
    np.testing.assert_array_equal(moved.varm["dncb_mf_phi"], plain.varm["dncb_mf_phi"][order])


def test_missing_genes_are_integrated_out_and_extra_ones_ignored(halves):
    old, new = halves
    fewer = new[:, 20:].copy()
    extra = ad.AnnData(np.full((30, 7), 0.5, dtype=np.float32), obs=fewer.obs[[]])
    extra.var_names = [f"other {j}" for j in range(7)]
    both = ad.concat([extra, fewer], axis=1)
    md.tl.project(both, old, rng=2)
    assert both.uns["dncb_mf"]["genes"] == {"shared": 60, "missing": 20, "extra": 7}
    assert np.isnan(both.varm["dncb_mf_phi"][:7]).all()
    # Marginalised is the same as NaN everywhere: the very same posterior, so the same up to chance.
    blank = new.copy()
    blank.X[:, :20] = np.nan
    md.tl.project(blank, old, rng=3)
    used = blank.obsm["dncb_mf_theta1"] + blank.obsm["dncb_mf_theta2"] > 1.0
    assert np.abs(both.obsm["X_dncb_mf"] - blank.obsm["X_dncb_mf"])[used].mean() < 0.05


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(halves):
    old, new = halves
    one, two = (md.tl.project(new, old, n_draws=5, rng=4, n_jobs=n, copy=True) for n in (1, 2))
    np.testing.assert_array_equal(one.obsm["X_dncb_mf"], two.obsm["X_dncb_mf"])
    again = md.tl.project(new, old, **one.uns["dncb_mf"]["params"], copy=True)
    np.testing.assert_array_equal(one.obsm["X_dncb_mf"], again.obsm["X_dncb_mf"])


def test_bad_input_is_named(halves):
    old, new = halves
    few = new[:, :10].copy()
    with pytest.raises(ValueError, match=r"only 10 of the reference's 80 genes .* 50%"):
        md.tl.project(few, old)
    assert "dncb_mf" not in few.uns
    md.tl.project(few, old, min_overlap=0.1, n_draws=2, n_burnin=0, thin=1)
    twice = new.copy()
    twice.var_names = ["same"] * 80
    with pytest.raises(ValueError, match="not unique"):
        md.tl.project(twice, old)
    with pytest.raises(ValueError, match="no fit"):
        md.tl.project(old, new[:, :5].copy(), key="none")
    with pytest.raises(ValueError, match="omit n_draws"):
        md.tl.project(new, old, propagate=True, n_draws=7)
    bare = old.copy()
    del bare.varm["dncb_mf_phi_draws"]
    with pytest.raises(ValueError, match="keep_draws=True"):
        md.tl.project(new, bare, propagate=True)

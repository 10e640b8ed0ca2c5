from __future__ import annotations

import anndata as ad
import numpy as np
import pytest

from methyl_dncb import datasets, tl


@pytest.fixture
def adata():
    return datasets.simulate_groups(60, 120, strength=20.0, rng=0)


@pytest.fixture
def warned(monkeypatch):
    messages = []
    monkeypatch.setattr("scanpy.logging.warning", messages.append)
    return messages


def test_bound_rises_and_is_kept(adata):
    tl.bg_nmf(adata, 8, rng=0)
    bound = adata.uns["bg_nmf"]["bound"]
    assert (np.diff(bound) > 0).all()
    assert adata.uns["bg_nmf"]["converged"]
    assert len(bound) < adata.uns["bg_nmf"]["params"]["n_iterations"]


def test_draws_are_those_of_the_means(adata):
    tl.bg_nmf(adata, 8, n_draws=2000, keep_draws=True, rng=0)
    for mean, draws in (
        (adata.obsm["bg_nmf_theta1"], adata.obsm["bg_nmf_theta1_draws"]),
        (adata.obsm["bg_nmf_theta2"], adata.obsm["bg_nmf_theta2_draws"]),
        (adata.varm["bg_nmf_phi"], adata.varm["bg_nmf_phi_draws"]),
    ):
        assert draws.dtype == np.float32
        assert draws.shape == (*mean.shape, 2000)
        error = draws.std(axis=2) / np.sqrt(2000) + 1e-7 * mean
        assert (np.abs(draws.mean(axis=2) - mean) < 8 * error).mean() > 0.999
    theta1, theta2 = adata.obsm["bg_nmf_theta1_draws"], adata.obsm["bg_nmf_theta2_draws"]
    rho = (theta1 / (theta1 + theta2)).mean(axis=2)
    np.testing.assert_allclose(adata.obsm["X_bg_nmf"], rho, atol=1e-5)


def test_embedding_tells_the_groups_apart(adata):
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    tl.bg_nmf(adata, 8, rng=0)
    accuracy = cross_val_score(KNeighborsClassifier(5), adata.obsm["X_bg_nmf"], adata.obs["group"]).mean()
    assert accuracy > 0.9


def test_exact_values_are_moved_inside_and_said(adata, warned):
    adata.X[0, :5] = 0
    adata.X[1, :3] = 1
    before = adata.X.copy()
    tl.bg_nmf(adata, 3, n_iterations=5, rng=0)
    assert warned[0].startswith("8 values are exactly 0 or 1")
    np.testing.assert_array_equal(adata.X, before)
    assert np.isfinite(adata.uns["bg_nmf"]["bound"]).all()


def test_says_when_it_has_not_settled(adata, warned):
    tl.bg_nmf(adata, 3, n_iterations=5, rng=0)
    assert ["still rising after 5 iterations" in message for message in warned] == [True]
    assert not adata.uns["bg_nmf"]["converged"]


def test_threads_do_not_change_the_result(adata):
    one = tl.bg_nmf(adata, 4, rng=0, n_jobs=1, copy=True)
    two = tl.bg_nmf(adata, 4, rng=0, n_jobs=2, copy=True)
    np.testing.assert_array_equal(one.obsm["X_bg_nmf"], two.obsm["X_bg_nmf"])
    with pytest.raises(ValueError, match="n_jobs"):
        tl.bg_nmf(ad.AnnData(adata.X), n_jobs=0)

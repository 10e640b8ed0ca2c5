from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import NMF

from methyl_dncb import datasets, pp, tl


@pytest.fixture
def adata():
    return datasets.simulate_groups(60, 120, strength=20.0, rng=0)


def test_is_scikit_learns_where_nothing_is_missing(adata):
    tl.nmf(adata, 6, n_iterations=500, rng=0)
    theirs = NMF(6, max_iter=500, random_state=0).fit(adata.X.astype(float))
    fitted = adata.obsm["X_nmf"] @ adata.varm["nmf_phi"].T
    assert np.linalg.norm(adata.X - fitted) == pytest.approx(theirs.reconstruction_err_, rel=1e-2)
    assert adata.uns["nmf"]["sigma"] == pytest.approx((adata.X - fitted).std(), rel=1e-2)


def test_held_out_entries_are_predicted_from_the_others(adata):
    pp.hold_out(adata, 0.2, rng=0)
    held_out = adata.layers["held_out"]
    tl.nmf(adata, 8, mask="held_out", rng=0)
    fitted = adata.obsm["X_nmf"] @ adata.varm["nmf_phi"].T
    means = np.nanmean(np.where(held_out, np.nan, adata.X), axis=0)
    error = np.sqrt(np.mean((fitted - adata.X)[held_out] ** 2))
    baseline = np.sqrt(np.mean((means - adata.X)[held_out] ** 2))
    assert error < 0.8 * baseline
    trained = np.sqrt(np.mean((fitted - adata.X)[~held_out] ** 2))
    assert adata.uns["nmf"]["sigma"] == pytest.approx(trained, rel=1e-4)


def test_refinement_beats_the_filled_start(adata):
    """The squared error over observed entries is lower than that of an NMF of the filled matrix."""
    adata.X[np.random.default_rng(0).random(adata.shape) < 0.4] = np.nan
    observed = ~np.isnan(adata.X)
    filled = np.where(observed, adata.X, np.nanmean(adata.X, axis=0))
    model = NMF(6, max_iter=500, random_state=0)
    start = model.fit_transform(filled) @ model.components_
    tl.nmf(adata, 6, n_iterations=500, rng=0)
    fitted = adata.obsm["X_nmf"] @ adata.varm["nmf_phi"].T
    assert np.mean((fitted - adata.X)[observed] ** 2) < 0.9 * np.mean((start - adata.X)[observed] ** 2)


def test_components_that_repeat_the_data_are_reported(adata, log):
    pp.hold_out(adata, 0.9, rng=0)
    tl.nmf(adata, 50, mask="held_out", n_iterations=3000, tol=1e-9, rng=0)
    assert "held-out scores will be far too low" in log.getvalue()

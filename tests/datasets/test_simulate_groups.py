from __future__ import annotations

import anndata as ad
import numpy as np
import pandas as pd
import pytest

from methyl_dncb import datasets


def test_beta_is_open_float32_and_seeded():
    adata = datasets.simulate_groups(rng=3)
    assert adata.X.dtype == np.float32
    assert adata.X.min() > 0
    assert adata.X.max() < 1
    assert not np.isnan(adata.X).any()
    np.testing.assert_array_equal(adata.X, datasets.simulate_groups(rng=3).X)
    assert (adata.X != datasets.simulate_groups(rng=4).X).any()


def test_gene_sets_move_as_their_names_say(seed):
    adata = datasets.simulate_groups(90, 300, strength=40.0, rng=seed)
    level = pd.DataFrame(adata.X.T).groupby(adata.var["gene_set"].to_numpy(), observed=True).mean().T
    by_group = level.groupby(adata.obs["group"].to_numpy(), observed=True).mean()
    for group in by_group.index:
        others = by_group.index != group
        assert (by_group.loc[group, f"hyper {group}"] - by_group.loc[others, f"hyper {group}"] > 0.3).all()
        assert (by_group.loc[group, f"hypo {group}"] - by_group.loc[others, f"hypo {group}"] < -0.3).all()
    assert (by_group["unmethylated"] < 0.3).all()
    assert (by_group["methylated"] > 0.7).all()


def test_truth_is_complete_and_agrees_with_the_labels():
    adata = datasets.simulate_groups(61, 200, 3, rng=0)
    components = list(adata.uns["truth"]["components"])
    assert len(components) == 2 * 3 + 2
    member = adata.varm["truth_phi"] > 0
    assert (member.sum(axis=1) == 1).all()
    assert [components[k] for k in member.argmax(axis=1)] == list(adata.var["gene_set"])
    theta1, theta2 = adata.obsm["truth_theta1"], adata.obsm["truth_theta2"]
    np.testing.assert_allclose(adata.obsm["X_truth"], theta1 / (theta1 + theta2))
    in_first = (adata.obs["group"] == "G1").to_numpy()
    assert (adata.obsm["X_truth"][in_first, 0] > 0.5).all()
    assert (adata.obsm["X_truth"][~in_first, 0] < 0.5).all()
    assert adata.obs["group"].value_counts().max() - adata.obs["group"].value_counts().min() <= 1


def test_beta_has_the_mean_of_its_truth(seed):
    shape = (0.5, 1.5)
    adata = datasets.simulate_groups(200, 400, shape=shape, rng=seed)
    phi = adata.varm["truth_phi"]
    lam1, lam2 = adata.obsm["truth_theta1"] @ phi.T, adata.obsm["truth_theta2"] @ phi.T
    # E[β | n] is linear in y given the total count n, and n is drawn afresh: unbiased for E[β].
    total, p = lam1 + lam2, lam1 / (lam1 + lam2)
    n = np.random.default_rng(seed + 1).poisson(total)
    expected = (shape[0] + n * p) / (sum(shape) + n)
    z = (adata.X - expected).mean() / np.sqrt((adata.X - expected).var() / adata.X.size)
    assert abs(z) < 6


def test_missing_and_reads(seed):
    adata = datasets.simulate_groups(80, 100, missing=0.2, coverage=30, rng=seed)
    missing = np.isnan(adata.X)
    assert missing.sum() == 1600
    methylated, unmethylated = adata.layers["methylated"], adata.layers["unmethylated"]
    reads = methylated + unmethylated
    assert (reads[missing] == 0).all()
    assert (reads[~missing] > 0).all()
    assert abs(reads[~missing].mean() - 30) < 6 * np.sqrt(30 / (~missing).sum())
    residual = methylated[~missing] - reads[~missing] * adata.X[~missing]
    assert abs(residual.mean()) < 6 * residual.std() / np.sqrt(residual.size)
    assert "methylated" not in datasets.simulate_groups(rng=0).layers


def test_names_are_distinct_and_the_object_saves(tmp_path):
    adata = datasets.simulate_groups(12, 500, missing=0.1, coverage=5, rng=0)
    assert adata.var_names.is_unique
    assert adata.obs_names.is_unique
    assert adata.var_names.str.fullmatch(r"[A-Z]+\d+").all()
    adata.write_h5ad(tmp_path / "groups.h5ad")
    back = ad.read_h5ad(tmp_path / "groups.h5ad")
    np.testing.assert_array_equal(back.X, adata.X)
    np.testing.assert_array_equal(back.varm["truth_phi"], adata.varm["truth_phi"])
    assert list(back.uns["truth"]["components"]) == list(adata.uns["truth"]["components"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_obs": 0}, ValueError, "n_obs must be at least 1, not 0"),
        ({"n_obs": 2.5}, TypeError, "n_obs must be a whole number, not 2.5"),
        ({"n_groups": 1}, ValueError, "at least 2"),
        ({"n_obs": 2}, ValueError, "cannot fill 3 groups"),
        ({"genes_per_set": 70}, ValueError, "need 422 genes"),
        ({"n_vars": 7}, ValueError, "need 8 genes"),
        ({"missing": 1.0}, ValueError, "missing must be a number"),
        ({"strength": -1.0}, ValueError, "strength must be above 0"),
        ({"coverage": 0.5}, ValueError, "coverage must be at least 1"),
        ({"shape": 0.0}, ValueError, "shape must be above 0"),
        ({"shape": (1.0, 2.0, 3.0)}, ValueError, "shape takes one number or 2, not 3"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        datasets.simulate_groups(**arguments)

from __future__ import annotations

import anndata as ad
import numpy as np
import pytest
from scipy import sparse

from methyl_dncb import datasets, pp


@pytest.fixture
def adata():
    return datasets.simulate_groups(40, 60, missing=0.3, rng=0)


def test_holds_out_the_fraction_of_observed_entries_only(adata):
    assert pp.hold_out(adata, 0.2, rng=1) is None
    held_out = adata.layers["held_out"]
    observed = ~np.isnan(adata.X)
    assert held_out.dtype == bool
    assert held_out.sum() == round(0.2 * observed.sum())
    assert not held_out[~observed].any()


def test_default_fraction_seed_key_and_copy(adata):
    copied = pp.hold_out(adata, rng=5, key_added="test", copy=True)
    assert "test" not in adata.layers
    assert copied.layers["test"].sum() == round(0.1 * (~np.isnan(adata.X)).sum())
    again = pp.hold_out(adata, rng=5, key_added="test", copy=True)
    np.testing.assert_array_equal(copied.layers["test"], again.layers["test"])
    other = pp.hold_out(adata, rng=6, key_added="test", copy=True)
    assert (copied.layers["test"] != other.layers["test"]).any()


def test_choice_is_uniform(rng):
    adata = ad.AnnData(np.full((12, 10), 0.5, dtype=np.float32))
    adata.X[0, 0] = np.nan
    hits = sum(pp.hold_out(adata, 0.2, rng=rng, copy=True).layers["held_out"] for _ in range(2000))
    expected = 2000 * 24 / 119
    off = np.abs(hits[~np.isnan(adata.X)] - expected)
    assert off.max() < 6 * np.sqrt(expected)
    assert hits[0, 0] == 0


def test_no_row_or_column_is_emptied_and_the_repair_is_said():
    rng = np.random.default_rng(0)
    beta = rng.random((12, 9)).astype(np.float32)
    beta[3, 1:] = np.nan  # one observed entry only
    beta[:, 8] = np.nan  # none
    adata = ad.AnnData(beta)
    with pytest.warns(UserWarning, match="were given back"):
        pp.hold_out(adata, 0.9, rng=0)
    held_out = adata.layers["held_out"]
    training = ~np.isnan(beta) & ~held_out
    assert held_out.any()
    assert (training.any(axis=1) == (~np.isnan(beta)).any(axis=1)).all()
    assert (training.any(axis=0) == (~np.isnan(beta)).any(axis=0)).all()


def test_layer_is_used(adata):
    adata.layers["raw"] = adata.X.copy()
    adata.X = np.full(adata.shape, 0.5, dtype=np.float32)
    pp.hold_out(adata, 0.5, layer="raw", rng=0)
    assert not adata.layers["held_out"][np.isnan(adata.layers["raw"])].any()


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, float("nan")])
def test_fractions_outside_are_refused(adata, fraction):
    with pytest.raises(ValueError, match=r"number in \(0, 1\)"):
        pp.hold_out(adata, fraction)
    assert "held_out" not in adata.layers


def test_other_bad_input_is_refused(adata):
    with pytest.raises(TypeError, match="must be a number"):
        pp.hold_out(adata, "10%")
    with pytest.raises(ValueError, match="no layer 'raw'"):
        pp.hold_out(adata, layer="raw")
    with pytest.raises(ValueError, match="No entry can be held out"):
        pp.hold_out(ad.AnnData(np.where(np.eye(3), 0.5, np.nan)), 0.5)
    with pytest.raises(TypeError, match="sparse"):
        pp.hold_out(ad.AnnData(sparse.csr_matrix(np.eye(3))), 0.5)


def test_every_sample_keeps_one_of_the_genes_that_a_fit_takes():
    adata = ad.AnnData(np.random.default_rng(0).random((30, 200), dtype=np.float32))
    adata.var["highly_variable"] = np.arange(200) < 2
    with pytest.warns(UserWarning, match="were given back"):
        pp.hold_out(adata, 0.5, rng=0)
    assert not adata.layers["held_out"][:, :2].all(axis=1).any()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"key_added": "a/b"}, ValueError, "key_added must not be empty or contain"),
        ({"key_added": 5}, TypeError, "key_added must be a string"),
        ({"rng": "x"}, TypeError, "rng takes None"),
        ({"rng": np.random.RandomState(0)}, TypeError, "not a RandomState"),
    ],
)
def test_keys_and_seeds_are_checked(adata, arguments, error, message):
    with pytest.raises(error, match=message):
        pp.hold_out(adata, **arguments)
    assert "held_out" not in adata.layers

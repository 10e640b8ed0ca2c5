"""What `tl.bg_nmf` and `tl.nmf` share with `tl.dncb_mf`: arguments, keys, refusals."""

from __future__ import annotations

import inspect

import anndata as ad
import numpy as np
import pytest
from scipy import sparse

from methyl_dncb import datasets, pp, tl

FITS = {"bg_nmf": tl.bg_nmf, "nmf": tl.nmf}
QUICK = {"n_components": 3, "n_iterations": 20, "rng": 0}


@pytest.fixture
def adata():
    return datasets.simulate_groups(30, 50, missing=0.05, rng=0)


@pytest.fixture(params=FITS)
def model(request):
    return request.param


def keys_of(adata):
    return {slot: set(getattr(adata, slot)) for slot in ("obs", "var", "obsm", "varm", "uns", "layers")}


def test_writes_exactly_its_keys(adata, model):
    before = keys_of(adata)
    assert FITS[model](adata, **QUICK) is None
    added = {slot: keys_of(adata)[slot] - before[slot] for slot in before}
    thetas = {"bg_nmf_theta1", "bg_nmf_theta2"} if model == "bg_nmf" else set()
    assert added == {
        "obs": set(),
        "var": set(),
        "obsm": {f"X_{model}"} | thetas,
        "varm": {f"{model}_phi"},
        "uns": {model},
        "layers": set(),
    }
    assert adata.obsm[f"X_{model}"].shape == (30, 3)
    assert adata.varm[f"{model}_phi"].shape == (50, 3)
    assert np.isfinite(adata.obsm[f"X_{model}"]).all()
    assert (adata.varm[f"{model}_phi"] >= 0).all()


def test_copy_key_and_params_repeat_the_fit(adata, model):
    before = keys_of(adata)
    first = FITS[model](adata, **QUICK, key_added="mine", copy=True)
    assert keys_of(adata) == before
    again = FITS[model](adata, **first.uns["mine"]["params"], copy=True)
    np.testing.assert_array_equal(first.obsm["X_mine"], again.obsm[f"X_{model}"])
    np.testing.assert_array_equal(first.varm["mine_phi"], again.varm[f"{model}_phi"])


def test_held_out_values_are_not_looked_at(adata, model):
    pp.hold_out(adata, 0.2, rng=0)
    first = FITS[model](adata, **QUICK, mask="held_out", copy=True)
    held_out = adata.layers["held_out"]
    adata.X[held_out] = 1 - adata.X[held_out]
    second = FITS[model](adata, **QUICK, mask="held_out", copy=True)
    np.testing.assert_array_equal(first.varm[f"{model}_phi"], second.varm[f"{model}_phi"])


def test_gene_mask_leaves_the_others_nan(adata, model):
    adata.var["highly_variable"] = np.arange(50) % 2 == 0
    FITS[model](adata, **QUICK)
    phi = adata.varm[f"{model}_phi"]
    np.testing.assert_array_equal(np.isnan(phi).all(axis=1), ~adata.var["highly_variable"])
    FITS[model](adata, **QUICK, mask_var=None)
    assert not np.isnan(adata.varm[f"{model}_phi"]).any()


def test_layer_and_file_round_trip(adata, model, tmp_path):
    adata.layers["beta"] = adata.X.astype(np.float64)
    adata.X = None
    FITS[model](adata, **QUICK, layer="beta", **({"keep_draws": True} if model == "bg_nmf" else {}))
    adata.write_h5ad(tmp_path / "fit.h5ad")
    back = ad.read_h5ad(tmp_path / "fit.h5ad")
    assert keys_of(back) == keys_of(adata)
    np.testing.assert_array_equal(back.obsm[f"X_{model}"], adata.obsm[f"X_{model}"])
    assert back.uns[model]["params"]["n_components"] == 3


def test_more_components_than_samples_and_empty_rows(model):
    beta = datasets.simulate_groups(8, 30, genes_per_set=2, rng=0).X
    beta[2] = np.nan
    beta[:, 3] = np.nan
    adata = ad.AnnData(beta)
    FITS[model](adata, 12, n_iterations=15, rng=0)
    assert np.isfinite(adata.obsm[f"X_{model}"]).all()
    assert np.isfinite(adata.varm[f"{model}_phi"]).all()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_components": 0}, ValueError, "n_components must be at least 1"),
        ({"n_components": 2.0}, TypeError, "n_components must be a whole number"),
        ({"n_iterations": 0}, ValueError, "n_iterations must be at least 1"),
        ({"tol": 0.0}, ValueError, "tol must be above 0"),
        ({"mask": "held_out"}, ValueError, "pp.hold_out makes one"),
        ({"layer": "none"}, ValueError, "no layer 'none'"),
        ({"key_added": "a/b"}, ValueError, "key_added"),
    ],
)
def test_bad_arguments_change_nothing(adata, model, arguments, error, message):
    before = keys_of(adata)
    with pytest.raises(error, match=message):
        FITS[model](adata, **arguments)
    assert keys_of(adata) == before


def test_bad_values_are_refused(model):
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        FITS[model](ad.AnnData(np.full((4, 5), 2.0)))
    with pytest.raises(TypeError, match="sparse"):
        FITS[model](ad.AnnData(sparse.csr_matrix(np.eye(4) / 2)))


def test_arguments_stand_in_the_manner_of_dncb_mf():
    ours = inspect.signature(tl.dncb_mf).parameters
    for fit in FITS.values():
        shared = [name for name in ours if name in inspect.signature(fit).parameters]
        order = [name for name in inspect.signature(fit).parameters if name in ours]
        assert shared == order
        for name in set(shared) - {"rng"}:
            assert inspect.signature(fit).parameters[name].default == ours[name].default, name

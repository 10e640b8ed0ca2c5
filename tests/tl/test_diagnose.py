import anndata as ad
import numpy as np
import pytest

import methyl_dncb as md
from methyl_dncb.tl._diagnose import convergence

SETTINGS = {"n_components": 2, "n_burnin": 200, "n_draws": 40, "thin": 2, "rng": 0, "progress": False}


def blocks(rng=0):
    """Two gene sets that no fit of two components can miss."""
    rng = np.random.default_rng(rng)
    rho = np.where(np.arange(30)[:, None] < 15, [0.9, 0.1], [0.1, 0.9])
    member = np.arange(60) % 2
    first, second = rng.poisson(12 * rho[:, member]), rng.poisson(12 * (1 - rho[:, member]))
    return ad.AnnData(rng.beta(0.75 + first, 0.75 + second).astype(np.float32))


def test_chains_that_agree_are_said_to_agree():
    adata = blocks()
    md.tl.dncb_mf(adata, **SETTINGS, n_chains=3)
    found = adata.uns["dncb_mf"]
    assert (found["components"]["stability"] > 0.8).all()
    assert "all 2 components agree between chains" in found["verdict"]
    assert list(found["diagnostics"].index) == ["log_likelihood", "lambda1", "lambda2", "rho"]
    assert found["diagnostics"]["ess_bulk"].between(1, 400).all()
    assert found["diagnostics"].loc["rho", "r_hat"] == found["components"]["rho_r_hat"].max()
    assert found["r_hat"] == found["diagnostics"].loc["log_likelihood", "r_hat"]


def test_components_that_are_not_there_are_said_to_differ():
    adata = ad.AnnData(np.random.default_rng(0).random((20, 50)).astype(np.float32))
    md.tl.dncb_mf(adata, **SETTINGS | {"n_components": 6}, n_chains=3, init="prior")
    verdict = adata.uns["dncb_mf"]["verdict"]
    n_unstable = (adata.uns["dncb_mf"]["components"]["stability"] < 0.8).sum()
    assert n_unstable >= 3
    assert f"{n_unstable} of 6 components differ between chains; consider more burn-in or fewer" in verdict


def test_one_chain_and_few_draws_are_told_apart():
    adata = blocks()
    md.tl.dncb_mf(adata, **SETTINGS | {"n_draws": 3})
    assert "3 draws are too few" in adata.uns["dncb_mf"]["verdict"]
    assert "one chain cannot show" in adata.uns["dncb_mf"]["verdict"]
    assert np.isnan(adata.uns["dncb_mf"]["r_hat"])


def test_convergence_of_known_series():
    rng = np.random.default_rng(0)
    good = convergence(rng.normal(size=(4, 250, 3)))
    assert (good["r_hat"] < 1.02).all()
    assert (good["ess_bulk"] > 600).all()
    assert (good["ess_tail"] > 600).all()
    alone = convergence(rng.normal(size=(1, 250, 3)))
    assert (alone["r_hat"] < 1.05).all()
    assert (convergence(np.arange(40.0)[None, :, None])["r_hat"] > 1.5).all()
    apart = convergence(rng.normal(size=(4, 250, 1)) + np.arange(4)[:, None, None])
    assert apart["r_hat"][0] > 1.3


@pytest.mark.parametrize("write", ["write_h5ad", "write_zarr"])
def test_everything_survives_a_file_and_repeats_the_fit(tmp_path, write):
    adata = blocks()
    md.tl.dncb_mf(adata, **SETTINGS | {"n_burnin": "auto", "shape": "auto"}, n_chains=2, keep_draws=True)
    path = tmp_path / "a.file"
    getattr(adata, write)(path)
    back = (ad.read_h5ad if write == "write_h5ad" else ad.read_zarr)(path)
    for name, value in adata.uns["dncb_mf"].items():
        if name in ("params", "versions", "burnin"):
            assert set(back.uns["dncb_mf"][name]) == set(value)
        elif name in ("diagnostics", "components"):
            np.testing.assert_array_equal(back.uns["dncb_mf"][name].to_numpy(), value.to_numpy())
        else:
            np.testing.assert_array_equal(back.uns["dncb_mf"][name], value)
    md.tl.dncb_mf(back, **back.uns["dncb_mf"]["params"], n_jobs=1)
    for key in adata.obsm:
        np.testing.assert_array_equal(back.obsm[key], adata.obsm[key])
    np.testing.assert_array_equal(back.varm["dncb_mf_phi_draws"], adata.varm["dncb_mf_phi_draws"])


def test_learned_shapes_are_reported():
    adata = blocks()
    md.tl.dncb_mf(adata, **SETTINGS | {"shape": "auto"}, n_chains=2)
    found = adata.uns["dncb_mf"]
    assert found["shape_trace"].shape == (2, found["log_likelihood"].shape[1], 2)
    assert found["shape_draws"].shape == (80, 2)
    low, high = found["shape_interval"]
    assert ((low < found["shape"]) & (found["shape"] < high)).all()
    np.testing.assert_allclose(found["shape"], found["shape_draws"].mean(axis=0))
    # Drawn with shapes 0.75.
    assert ((found["shape"] > 0.4) & (found["shape"] < 1.3)).all()
    assert {"shape1", "shape2"} <= set(found["diagnostics"].index)


def test_learned_shapes_predict_draw_by_draw():
    adata = blocks()
    md.pp.hold_out(adata, rng=0)
    md.tl.dncb_mf(adata, **SETTINGS | {"shape": "auto", "n_draws": 8}, mask="held_out", keep_draws=True)
    i, j = np.nonzero(adata.layers["held_out"])
    phi = adata.varm["dncb_mf_phi_draws"][j].astype(float)
    lam1, lam2 = ((adata.obsm[f"dncb_mf_theta{r}_draws"][i] * phi).sum(axis=1) for r in (1, 2))
    beta = adata.X[i, j].astype(float)[:, None]
    density = md.stats.dncb.pdf(beta, *adata.uns["dncb_mf"]["shape_draws"].T, lam1, lam2)
    expected = np.log(density.mean(axis=1)).mean()
    assert md.tl.heldout_score(adata)["log_ppd"] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("bad", [{"shape": "automatic"}, {"n_burnin": "none"}])
def test_other_words_are_refused(bad):
    adata = blocks()
    with pytest.raises(ValueError, match='only word allowed here is "auto"'):
        md.tl.dncb_mf(adata, **SETTINGS | bad)
    assert not adata.uns

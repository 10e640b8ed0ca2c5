import sys

import numpy as np
import pytest

import methyl_dncb as md


@pytest.fixture(scope="module")
def fitted():
    """A short fit of some of the genes, with draws."""
    adata = md.datasets.simulate_groups(24, 50, rng=0)
    adata.var["highly_variable"] = np.arange(50) % 5 != 0
    md.tl.dncb_mf(adata, 3, n_burnin=10, n_draws=5, thin=2, n_chains=2, rng=0, keep_draws=True, n_jobs=1)
    return adata


def test_top_genes_are_the_highest_of_the_fitted(fitted):
    table = md.get.top_genes(fitted, 4)
    phi = fitted.varm["dncb_mf_phi"]
    assert len(table) == 12
    for k in range(3):
        of_component = table[table["component"] == str(k)]
        assert of_component["rank"].to_list() == [1, 2, 3, 4]
        best = np.argsort(-np.nan_to_num(phi[:, k], nan=-1))[:4]
        assert of_component["gene"].to_list() == list(fitted.var_names[best])
        np.testing.assert_array_equal(of_component["phi"], phi[best, k])
    assert (table["lower"] <= table["phi"]).all()
    assert (table["phi"] <= table["upper"]).all()


def test_top_genes_stop_where_the_fit_does(fitted):
    table = md.get.top_genes(fitted, 1000, components=1)
    assert len(table) == 40
    assert table["phi"].notna().all()


def test_components_are_tidy_phi(fitted):
    table = md.get.components(fitted, interval=0.5)
    assert table.shape == (120, 5)
    row = table[(table["component"] == "2") & (table["gene"] == fitted.var_names[7])].iloc[0]
    assert row["phi"] == fitted.varm["dncb_mf_phi"][7, 2]
    expected = np.quantile(fitted.varm["dncb_mf_phi_draws"][7, 2], [0.25, 0.75])
    np.testing.assert_allclose(row[["lower", "upper"]].astype(float), expected)


def test_embedding_is_tidy_rho_with_obs(fitted):
    table = md.get.embedding(fitted, [2, 0])
    assert table.shape == (48, 6)
    np.testing.assert_array_equal(table["rho"][:24], fitted.obsm["X_dncb_mf"][:, 2])
    np.testing.assert_array_equal(table["theta2"][24:], fitted.obsm["dncb_mf_theta2"][:, 0])
    assert table["component"].to_list() == ["2"] * 24 + ["0"] * 24
    assert table["sample"].to_list() == [*fitted.obs_names] * 2
    assert table["group"].dtype == fitted.obs["group"].dtype
    assert table["group"].to_list() == fitted.obs["group"].to_list() * 2
    assert "group" not in md.get.embedding(fitted, obs=[])


def test_posterior_has_the_draws_under_named_dimensions(fitted):
    posterior = md.get.posterior(fitted)["posterior"]
    assert dict(posterior.sizes) == {"chain": 2, "draw": 5, "sample": 24, "component": 3, "gene": 40}
    gene, sample = fitted.var_names[7], fitted.obs_names[4]
    draws = posterior["phi"].sel(gene=gene, component="1")
    np.testing.assert_array_equal(draws.values.ravel(), fitted.varm["dncb_mf_phi_draws"][7, 1])
    # ρ is the mean of its draws, not the ratio of means.
    mean = posterior["rho"].sel(sample=sample, component="0").mean(("chain", "draw"))
    np.testing.assert_allclose(mean, fitted.obsm["X_dncb_mf"][4, 0], rtol=1e-5)


def test_posterior_keeps_the_log_likelihood_of_the_draws(fitted):
    lp = md.get.posterior(fitted)["sample_stats"]["lp"]
    assert lp.dims == ("chain", "draw")
    np.testing.assert_array_equal(lp, fitted.uns["dncb_mf"]["log_likelihood"][:, -5:])


def test_posterior_holds_learned_shapes():
    adata = md.datasets.simulate_groups(12, 20, n_groups=2, rng=0)
    md.tl.dncb_mf(adata, 2, shape="auto", n_burnin=4, n_draws=3, thin=1, rng=0, keep_draws=True, n_jobs=1)
    shape = md.get.posterior(adata)["posterior"]["shape"]
    assert shape.dims == ("chain", "draw", "side")
    np.testing.assert_allclose(shape.mean(("chain", "draw")), adata.uns["dncb_mf"]["shape"])


def test_posterior_without_arviz_names_the_extra(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    with pytest.raises(ImportError, match=r"methyl-dncb\[posterior\]"):
        md.get.posterior(fitted)


def test_tables_of_simulated_truth_use_its_names():
    adata = md.datasets.simulate_groups(12, 40, n_groups=2, rng=0)
    assert md.get.components(adata, "hypo G2", key="truth")["component"].unique() == ["hypo G2"]


def test_bad_arguments_say_what_would_do(fitted):
    with pytest.raises(ValueError, match=r"call tl\.dncb_mf first"):
        md.get.components(fitted, key="nothing")
    with pytest.raises(ValueError, match="interval"):
        md.get.top_genes(fitted, interval=95)
    with pytest.raises(ValueError, match="n must be at least 1"):
        md.get.top_genes(fitted, 0)
    with pytest.raises(ValueError, match="there is no component 7"):
        md.get.top_genes(fitted, components=[7])
    with pytest.raises(ValueError, match="no column 'sex'"):
        md.get.embedding(fitted, obs="sex")
    bare = fitted.copy()
    del bare.varm["dncb_mf_phi_draws"]
    with pytest.raises(ValueError, match="keep_draws=True"):
        md.get.posterior(bare)
    with pytest.raises(ValueError, match="keep_draws=True"):
        md.get.components(bare, interval=0.9)
    bare.obs["rho"] = 1.0
    with pytest.raises(ValueError, match="rename it"):
        md.get.embedding(bare)


def test_intervals_of_rho_come_from_the_draws():
    adata = md.datasets.simulate_groups(12, 30, rng=0)
    md.tl.dncb_mf(adata, 3, n_burnin=5, n_draws=20, thin=1, keep_draws=True, rng=0)
    table = md.get.embedding(adata, 1, interval=0.8)
    theta1, theta2 = (adata.obsm[f"dncb_mf_theta{r}_draws"][:, 1].astype(float) for r in (1, 2))
    np.testing.assert_allclose(table["rho_lower"], np.quantile(theta1 / (theta1 + theta2), 0.1, axis=1))
    assert ((table["rho_lower"] <= table["rho"]) & (table["rho"] <= table["rho_upper"])).mean() > 0.9
    md.tl.dncb_mf(adata, 3, n_burnin=5, n_draws=2, thin=1, rng=0)
    with pytest.raises(ValueError, match="keep_draws"):
        md.get.embedding(adata, interval=0.8)

from __future__ import annotations

import numpy as np
import pytest

from methyl_dncb import datasets, pp, stats, tl


@pytest.fixture(scope="module")
def fitted():
    adata = datasets.simulate_groups(30, 60, missing=0.1, strength=20.0, rng=0)
    pp.hold_out(adata, 0.2, rng=0)
    tl.dncb_mf(adata, 6, n_burnin=100, n_draws=100, thin=2, n_chains=2, keep_draws=True, mask="held_out", rng=0)
    return adata


def test_estimates_what_held_out_entries_show(fitted):
    """Training density is above the left-out one, which agrees with held-out entries of the same kind."""
    left_out = tl.loo(fitted, n_entries=400)
    held_out = tl.heldout_score(fitted, draws=200)
    assert abs(left_out["log_ppd"] - held_out["log_ppd"]) < 6 * np.hypot(left_out["log_ppd_se"], held_out["log_ppd_se"])
    assert left_out["p_loo"] > 0
    assert left_out["n_draws"] == 200
    assert left_out["n_entries"] == 400
    assert left_out.to_dict() == fitted.uns["dncb_mf"]["loo"]
    n_trained = (~np.isnan(fitted.X) & ~fitted.layers["held_out"]).sum()
    assert left_out["elpd"] == pytest.approx(left_out["log_ppd"] * n_trained)


def test_log_likelihood_is_kept_on_request_only(fitted):
    adata = fitted.copy()
    tl.loo(adata, n_entries=50)
    assert "dncb_mf_log_likelihood" not in adata.layers
    tl.loo(adata, n_entries=50, keep_log_likelihood=True, rng=1)
    kept = adata.layers["dncb_mf_log_likelihood"]
    assert kept.shape == (30, 60, 200)
    where = ~np.isnan(kept).any(axis=2)
    assert where.sum() == 50
    assert not (where & (np.isnan(adata.X) | adata.layers["held_out"])).any()
    i, j = np.argwhere(where)[7]
    rates = [
        (adata.obsm[f"dncb_mf_theta{r}_draws"][i] * adata.varm["dncb_mf_phi_draws"][j]).sum(axis=0) for r in (1, 2)
    ]
    np.testing.assert_allclose(kept[i, j], stats.dncb.logpdf(float(adata.X[i, j]), 0.75, 0.75, *rates), rtol=1e-4)


def test_unreliable_estimates_are_told(fitted, log, monkeypatch):
    adata = fitted.copy()
    monkeypatch.setattr("methyl_dncb.tl._loo.TOLERATED_HIGH_K", 1.0)
    share = tl.loo(adata, n_entries=200)["pareto_k_high"]
    assert "Pareto k" not in log.getvalue()
    monkeypatch.setattr("methyl_dncb.tl._loo.TOLERATED_HIGH_K", share / 2)
    assert share > 0
    tl.loo(adata, n_entries=200)
    assert f"Pareto k is too high for {share:.0%} of the entries" in log.getvalue()


def test_refusals(fitted):
    with pytest.raises(ValueError, match="no fit under"):
        tl.loo(fitted, key="none")
    with pytest.raises(ValueError, match="n_entries must be at least 2"):
        tl.loo(fitted, n_entries=1)
    adata = fitted.copy()
    tl.nmf(adata, 3, rng=0, n_iterations=5)
    with pytest.raises(ValueError, match="NMF, which has no posterior"):
        tl.loo(adata, key="nmf")


def test_few_draws_and_exact_values_are_refused():
    adata = datasets.simulate_groups(12, 15, rng=0)
    tl.bg_nmf(adata, 2, n_iterations=3, n_draws=24, keep_draws=True, rng=0)
    with pytest.raises(ValueError, match=r"at least 25 posterior draws, .* has 24;"):
        tl.loo(adata, key="bg_nmf")
    adata.X = np.round(adata.X)
    tl.bg_nmf(adata, 2, n_iterations=3, n_draws=25, keep_draws=True, rng=0)
    with pytest.raises(ValueError, match="0 training entries inside"):
        tl.loo(adata, key="bg_nmf")


def test_a_new_fit_takes_the_log_likelihood_away():
    adata = datasets.simulate_groups(12, 15, rng=0)
    tl.bg_nmf(adata, 2, n_iterations=3, n_draws=30, keep_draws=True, rng=0)
    tl.loo(adata, key="bg_nmf", keep_log_likelihood=True)
    assert "bg_nmf_log_likelihood" in adata.layers
    tl.bg_nmf(adata, 2, n_iterations=3, rng=0)
    assert "bg_nmf_log_likelihood" not in adata.layers

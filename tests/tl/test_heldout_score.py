from __future__ import annotations

import anndata as ad
import numpy as np
import pytest
from scipy import stats as scipy_stats

from methyl_dncb import datasets, pp, stats, tl

QUICK = {"n_burnin": 60, "n_draws": 40, "thin": 2, "keep_draws": True, "mask": "held_out", "rng": 0}


@pytest.fixture(scope="module")
def fitted():
    adata = datasets.simulate_groups(50, 90, missing=0.05, strength=20.0, rng=0)
    pp.hold_out(adata, 0.1, rng=0)
    tl.dncb_mf(adata, 8, **QUICK)
    tl.bg_nmf(adata, 8, mask="held_out", keep_draws=True, rng=0)
    tl.nmf(adata, 8, mask="held_out", rng=0)
    return adata


def test_dncb_score_is_what_its_definition_says(fitted):
    score = tl.heldout_score(fitted)
    held_out = fitted.layers["held_out"]
    rates = [
        np.einsum("iks,jks->ijs", fitted.obsm[f"dncb_mf_theta{r}_draws"], fitted.varm["dncb_mf_phi_draws"])[held_out]
        for r in (1, 2)
    ]
    beta = fitted.X[held_out].astype(float)
    log_density = np.log(stats.dncb.pdf(beta[:, None], 0.75, 0.75, *rates).mean(axis=1))
    mean = stats.dncb.mean(0.75, 0.75, *rates).mean(axis=1)
    assert score["log_ppd"] == pytest.approx(log_density.mean(), rel=1e-5)
    assert score["ppd"] == pytest.approx(np.exp(log_density.mean()), rel=1e-5)
    assert score["log_ppd_se"] == pytest.approx(log_density.std(ddof=1) / np.sqrt(beta.size), rel=1e-5)
    assert score["mae"] == pytest.approx(np.abs(mean - beta).mean(), rel=1e-5)
    assert score["rmse"] == pytest.approx(np.sqrt(((mean - beta) ** 2).mean()), rel=1e-5)
    assert score["n_entries"] == held_out.sum()
    assert score["n_draws"] == 40


def test_learned_shapes_are_taken_draw_by_draw(fitted):
    adata = fitted.copy()
    tl.dncb_mf(adata, 8, shape="auto", **QUICK)
    held_out, shape = adata.layers["held_out"], adata.uns["dncb_mf"]["shape_draws"]
    rates = [
        np.einsum("iks,jks->ijs", adata.obsm[f"dncb_mf_theta{r}_draws"], adata.varm["dncb_mf_phi_draws"])[held_out]
        for r in (1, 2)
    ]
    beta = adata.X[held_out].astype(float)
    density = stats.dncb.pdf(beta[:, None], shape[:, 0], shape[:, 1], *rates).mean(axis=1)
    assert shape.std() > 0
    assert tl.heldout_score(adata)["log_ppd"] == pytest.approx(np.log(density).mean(), rel=1e-5)


def test_nmf_score_is_the_truncated_gaussians(fitted):
    score = tl.heldout_score(fitted, key="nmf")
    held_out, sigma = fitted.layers["held_out"], fitted.uns["nmf"]["sigma"]
    mean = (fitted.obsm["X_nmf"] @ fitted.varm["nmf_phi"].T)[held_out]
    density = scipy_stats.truncnorm.logpdf(fitted.X[held_out], -mean / sigma, np.inf, loc=mean, scale=sigma)
    assert score["log_ppd"] == pytest.approx(density.mean(), rel=1e-5)
    assert score["n_draws"] == 1


def test_ordering_and_coverage_on_data_of_the_model(fitted):
    """Data with DNCB noise: its model predicts best, and its intervals hold what they say."""
    scores = {key: tl.heldout_score(fitted, key=key) for key in ("dncb_mf", "bg_nmf", "nmf")}
    assert scores["dncb_mf"]["ppd"] > scores["bg_nmf"]["ppd"] > scores["nmf"]["ppd"]
    se = 0.5 / np.sqrt(scores["dncb_mf"]["n_entries"])
    assert abs(scores["dncb_mf"]["coverage_50"] - 0.5) < 6 * se
    assert abs(scores["dncb_mf"]["coverage_90"] - 0.9) < 6 * se


def test_is_stored_repeatable_and_saved(fitted, tmp_path):
    score = tl.heldout_score(fitted, draws=10)
    assert score.to_dict() == fitted.uns["dncb_mf"]["heldout_score"]
    assert score["n_draws"] == 10
    assert score.equals(tl.heldout_score(fitted, draws=10, n_jobs=2))
    fitted.write_h5ad(tmp_path / "fit.h5ad")
    back = ad.read_h5ad(tmp_path / "fit.h5ad")
    assert score.equals(tl.heldout_score(back, draws=10))


def test_only_fitted_genes_count():
    adata = datasets.simulate_groups(30, 60, rng=0)
    adata.var["highly_variable"] = np.arange(60) < 30
    pp.hold_out(adata, 0.2, rng=0)
    tl.bg_nmf(adata, 4, mask="held_out", keep_draws=True, rng=0)
    score = tl.heldout_score(adata, key="bg_nmf")
    assert score["n_entries"] == adata.layers["held_out"][:, :30].sum()


def test_exact_values_are_left_out_of_the_density_and_said(fitted, monkeypatch):
    messages = []
    monkeypatch.setattr("scanpy.logging.warning", messages.append)
    adata = fitted.copy()
    row, column = np.argwhere(adata.layers["held_out"])[0]
    adata.X[row, column] = 0.0
    score = tl.heldout_score(adata)
    assert np.isfinite(score).all()
    assert messages == ["1 held-out values are exactly 0 or 1 and are left out of the density."]


def test_says_when_the_fit_saw_the_entries(fitted, monkeypatch):
    messages = []
    monkeypatch.setattr("scanpy.logging.warning", messages.append)
    adata = fitted.copy()
    adata.layers["copied"] = adata.layers["held_out"]
    tl.heldout_score(adata, mask="copied")
    tl.heldout_score(adata, mask=None)
    tl.heldout_score(adata[5:].copy())
    assert not messages
    pp.hold_out(adata, rng=7)
    tl.heldout_score(adata)
    assert "may have seen" in messages[0]


@pytest.mark.parametrize("score", [tl.heldout_score, tl.loo])
def test_the_score_of_a_view_is_its_own(fitted, score):
    adata = fitted.copy()
    whole = score(adata).to_dict()
    part = adata[:20]
    assert score(part).to_dict() == part.uns["dncb_mf"][score.__name__] != whole
    assert adata.uns["dncb_mf"][score.__name__] == whole


def test_refusals(fitted):
    with pytest.raises(ValueError, match="no fit under"):
        tl.heldout_score(fitted, key="none")
    with pytest.raises(ValueError, match="which is not there"):
        tl.heldout_score(fitted, mask="none")
    with pytest.raises(ValueError, match="draws must be at least 1"):
        tl.heldout_score(fitted, draws=0)
    adata = fitted.copy()
    adata.layers["held_out"] = np.zeros(adata.shape, dtype=bool)
    with pytest.raises(ValueError, match="holds out 0 observed entries"):
        tl.heldout_score(adata)
    tl.bg_nmf(adata, 3, n_iterations=3, rng=0)
    with pytest.raises(ValueError, match="keep_draws=True"):
        tl.heldout_score(adata, key="bg_nmf")
    tl.nmf(adata, 3, n_iterations=3, rng=0)
    with pytest.raises(ValueError, match="made without a mask"):
        tl.heldout_score(adata, key="nmf", mask=None)


def test_exact_values_are_counted_and_too_few_others_are_refused():
    adata = datasets.simulate_groups(20, 30, rng=0)
    adata.X[:, :10] = np.round(adata.X[:, :10])
    pp.hold_out(adata, 0.2, rng=0)
    tl.nmf(adata, 3, mask="held_out", rng=0)
    score = tl.heldout_score(adata, key="nmf")
    assert score["n_exact"] == adata.layers["held_out"][:, :10].sum()
    assert score["n_entries"] == adata.layers["held_out"].sum()
    adata.X = np.round(adata.X)
    tl.nmf(adata, 3, mask="held_out", rng=0)
    with pytest.raises(ValueError, match=r"120 of them exactly 0 or 1"):
        tl.heldout_score(adata, key="nmf")


def test_projections_are_scored_with_phi_as_given():
    adata = datasets.simulate_groups(40, 60, rng=0)
    known, new = adata[:25].copy(), adata[25:].copy()
    tl.dncb_mf(known, 4, n_burnin=40, n_draws=10, thin=2, keep_draws=True, rng=0)
    pp.hold_out(new, rng=0)
    scores = {}
    for propagate in (False, True):
        tl.project(new, known, mask="held_out", keep_draws=True, propagate=propagate, n_burnin=20, rng=0)
        scores[propagate] = tl.heldout_score(new)
    assert scores[False]["log_ppd"] == pytest.approx(scores[True]["log_ppd"], abs=0.3)

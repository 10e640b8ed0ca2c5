import numpy as np
import pytest

import methyl_dncb as md


def test_bars_are_the_density_of_observed_values(fitted):
    fitted.X[0, :] = np.nan
    ax = md.pl.beta_histogram(fitted, bins=10, show=False)
    expected, _ = np.histogram(fitted.X[1:], bins=10, range=(0, 1), density=True)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], expected)
    assert ax.get_xlim() == (0, 1)


def test_several_objects_get_a_titled_panel_each(fitted, make_fit):
    axes = md.pl.beta_histogram({"ours": fitted, "theirs": make_fit(rng=1)}, show=False)
    assert [ax.get_title() for ax in axes] == ["ours", "theirs"]


def test_predictive_density_is_the_mean_of_the_model_s(fitted):
    ax = md.pl.beta_histogram(fitted[:, :2].copy(), key="dncb_mf", show=False)
    (line,) = ax.lines
    theta1, theta2 = (fitted.obsm[f"dncb_mf_theta{r}_draws"].astype(float) for r in (1, 2))
    phi = fitted.varm["dncb_mf_phi_draws"][:2].astype(float)
    rate1, rate2 = (np.einsum("nks,mks->nms", theta, phi) for theta in (theta1, theta2))
    at = 60
    expected = md.stats.dncb.pdf(line.get_xdata()[at], 0.75, 0.75, rate1, rate2).mean()
    np.testing.assert_allclose(line.get_ydata()[at], expected, rtol=1e-5)


def test_with_a_fit_the_histogram_is_of_its_genes(fitted):
    fitted.varm["dncb_mf_phi"][10:] = np.nan
    fitted.X[:, 10:] = 0.5
    ax = md.pl.beta_histogram(fitted, key="dncb_mf", bins=10, show=False)
    expected, _ = np.histogram(fitted.X[:, :10], bins=10, range=(0, 1), density=True)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], expected)


def test_bad_arguments_say_what_would_do(fitted):
    with pytest.raises(ValueError, match="data is empty"):
        md.pl.beta_histogram({})
    del fitted.obsm["dncb_mf_theta1_draws"]
    with pytest.raises(ValueError, match="keep_draws=True"):
        md.pl.beta_histogram(fitted, key="dncb_mf")


def test_looks_as_it_did(fitted, looks_like):
    looks_like(md.pl.beta_histogram(fitted, key="dncb_mf", return_fig=True), "beta_histogram")

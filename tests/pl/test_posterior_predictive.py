import numpy as np
import pytest

import methyl_dncb as md


@pytest.fixture
def calibrated(fitted):
    """Data drawn from the model itself, so that everything lies on the diagonal; a tenth of it held out."""
    rng = np.random.default_rng(0)
    phi = fitted.varm["dncb_mf_phi"]
    rate1, rate2 = (fitted.obsm[f"dncb_mf_theta{r}"] @ phi.T for r in (1, 2))
    fitted.X = rng.beta(0.75 + rng.poisson(rate1), 0.75 + rng.poisson(rate2)).astype(np.float32)
    for slot, name in ((fitted.obsm, "theta1"), (fitted.obsm, "theta2"), (fitted.varm, "phi")):
        mean = slot[f"dncb_mf_{name}"]
        slot[f"dncb_mf_{name}_draws"] = np.repeat(mean[:, :, None], 40, axis=2).astype(np.float32)
    fitted.layers["held_out"] = rng.random(fitted.shape) < 0.3
    fitted.uns["dncb_mf"]["params"]["mask"] = "held_out"
    return fitted


def test_data_from_the_model_lie_on_the_diagonals(calibrated):
    _, quantiles, calibration = md.pl.posterior_predictive(calibrated, show=False)
    line = quantiles.lines[1]
    assert np.abs(line.get_xdata() - line.get_ydata()).max() < 0.08
    line = calibration.lines[1]
    assert np.abs(line.get_xdata() - line.get_ydata()).max() < 0.12
    assert calibration.get_ylim() == (0, 1)


def test_a_model_that_is_too_sure_shows(calibrated):
    calibrated.X = np.random.default_rng(1).choice([0.01, 0.99], calibrated.shape).astype(np.float32)
    *_, calibration = md.pl.posterior_predictive(calibrated, show=False)
    line = calibration.lines[1]
    assert (line.get_ydata() - line.get_xdata())[10:90].mean() < -0.1


def test_without_held_out_entries_there_is_no_calibration(fitted):
    axes = md.pl.posterior_predictive(fitted, n_entries=50, show=False)
    assert [ax.get_xlabel() for ax in axes] == ["β", "quantiles of data"]


def test_without_draws_the_remedy_is_named(fitted):
    del fitted.obsm["dncb_mf_theta1_draws"]
    with pytest.raises(ValueError, match="keep_draws=True"):
        md.pl.posterior_predictive(fitted)


def test_looks_as_it_did(calibrated, looks_like):
    looks_like(md.pl.posterior_predictive(calibrated, return_fig=True), "posterior_predictive")

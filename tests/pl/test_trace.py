import numpy as np
import pytest

import methyl_dncb as md
from methyl_dncb.tl._diagnose import convergence


def test_log_likelihood_runs_to_the_last_sweep_with_burn_in_shaded(fitted):
    (ax,) = md.pl.trace(fitted, show=False)
    values = fitted.uns["dncb_mf"]["log_likelihood"]
    assert len(ax.lines) == 2
    np.testing.assert_allclose(ax.lines[1].get_ydata(), values[1])
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), np.arange(5, 75, 5))
    shaded = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    np.testing.assert_allclose([shaded.x0, shaded.x1], [5, 30])
    assert ax.get_title(loc="right").startswith(f"R-hat {convergence(values[:, -8:])['r_hat']:.2f}, ESS ")


def test_entries_of_factors_are_traced_by_chain(fitted):
    axes = md.pl.trace(fitted, [("phi", "GENE4", 3), ("rho", 7, 0), ("theta2", "sample_2", 1)], show=False)
    assert [ax.get_title(loc="left") for ax in axes][:2] == [
        "φ of GENE4 in component 3",
        "ρ of sample_7 in component 0",
    ]
    phi = fitted.varm["dncb_mf_phi_draws"][4, 3].reshape(2, 8)
    np.testing.assert_allclose(axes[0].lines[1].get_ydata(), phi[1])
    np.testing.assert_array_equal(axes[0].lines[0].get_xdata(), np.arange(35, 75, 5))
    theta1, theta2 = (fitted.obsm[f"dncb_mf_theta{r}_draws"][7, 0, :8].astype(float) for r in (1, 2))
    np.testing.assert_allclose(axes[1].lines[0].get_ydata(), theta1 / (theta1 + theta2))


def test_a_single_chain_needs_no_legend(make_fit):
    (ax,) = md.pl.trace(make_fit(n_chains=1), show=False)
    assert ax.get_legend() is None


def test_few_draws_are_said_to_be_too_few(make_fit):
    (ax,) = md.pl.trace(make_fit(n_draws=2), show=False)
    assert ax.get_title(loc="right") == "too few draws for R-hat"


def test_learned_shapes_are_shown_unasked(fitted):
    values = np.random.default_rng(0).gamma(9, 0.1, (2, 14, 2))
    fitted.uns["dncb_mf"]["shape_trace"] = values
    axes = md.pl.trace(fitted, show=False)
    assert [ax.get_title(loc="left") for ax in axes] == ["log likelihood", "ε₁", "ε₂"]
    np.testing.assert_allclose(axes[2].lines[1].get_ydata(), values[1, :, 1])


def test_bad_arguments_say_what_would_do(fitted):
    with pytest.raises(ValueError, match="a quantity is"):
        md.pl.trace(fitted, ["likelihood"])
    with pytest.raises(ValueError, match="did not learn its shapes"):
        md.pl.trace(fitted, ["shape"])
    with pytest.raises(ValueError, match="there is no 'TP53'"):
        md.pl.trace(fitted, [("phi", "TP53", 0)])
    del fitted.varm["dncb_mf_phi_draws"]
    with pytest.raises(ValueError, match="keep_draws=True"):
        md.pl.trace(fitted, [("phi", "GENE1", 0)])


def test_looks_as_it_did(fitted, looks_like):
    looks_like(md.pl.trace(fitted, ["log_likelihood", ("rho", 0, 1)], return_fig=True), "trace")

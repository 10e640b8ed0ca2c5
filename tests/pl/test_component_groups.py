import numpy as np
import pytest

import methyl_dncb as md
from methyl_dncb.pl._component_groups import variance_between


def groups(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


def test_components_are_ordered_by_the_share_of_variance_between_groups(fitted):
    rho = fitted.obsm["X_dncb_mf"]
    rng = np.random.default_rng(0)
    rho[:] = rng.uniform(0.2, 0.8, rho.shape)
    rho[:, 3] = 0.2 + 0.3 * fitted.obs["tissue"].cat.codes
    rho[:, 1] = 0.2 + 0.3 * fitted.obs["tissue"].cat.codes + rng.normal(0, 0.1, 40)
    axes = md.pl.component_groups(fitted, "tissue", n_top=2, show=False)
    assert axes[0].get_title(loc="left") == "component 3, η² 1.00"
    assert axes[1].get_title(loc="left").startswith("component 1, η² 0.")
    assert groups(axes[0]) == ["tissue 0", "tissue 1", "tissue 2"]
    assert axes[0].get_ylim() == (-0.02, 1.02)


def test_points_are_the_samples_of_the_group(fitted):
    (ax,) = md.pl.component_groups(fitted, "tissue", components=2, show=False)
    scatters = [drawn for drawn in ax.collections if len(drawn.get_offsets()) > 2]
    expected = fitted.obsm["X_dncb_mf"][(fitted.obs["tissue"] == "tissue 1").to_numpy(), 2]
    np.testing.assert_allclose(scatters[1].get_offsets()[:, 1], expected)


def test_the_unlabelled_come_last_and_do_not_count(fitted):
    plain = variance_between(fitted.obsm["X_dncb_mf"][:30], fitted.obs["tissue"].iloc[:30].array)
    fitted.obs.iloc[30:, 0] = np.nan
    axes = md.pl.component_groups(fitted, "tissue", components=[0], show=False)
    assert groups(axes[0])[-1] == "unlabelled"
    assert axes[0].get_title(loc="left") == f"component 0, η² {plain[0]:.2f}"


@pytest.mark.parametrize(("n_obs", "n_components"), [(4, 1), (4000, 40)])
def test_any_size(make_fit, n_obs, n_components):
    adata = make_fit(n_obs, 5, n_components, n_groups=4, n_draws=1)
    figure = md.pl.component_groups(adata, "tissue", return_fig=True)
    figure.draw_without_rendering()
    assert len(figure.axes) == min(4, n_components)
    for ax in figure.axes:
        assert max((len(drawn.get_offsets()) for drawn in ax.collections), default=0) <= 200
        boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_weights_that_are_no_ratio_are_refused(fitted):
    fitted.obsm["X_dncb_mf"] *= 10
    for draw in (md.pl.component_groups, md.pl.embedding_heatmap):
        with pytest.raises(ValueError, match="it is no ρ"):
            draw(fitted, "tissue")


def test_looks_as_it_did(fitted, looks_like):
    fitted.obs.iloc[::9, 0] = np.nan
    looks_like(md.pl.component_groups(fitted, "tissue", return_fig=True), "component_groups")

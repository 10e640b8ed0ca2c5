import numpy as np
import pytest
from matplotlib import pyplot as plt

import methyl_dncb as md


def genes(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_stems_show_the_highest_phi_from_the_top(fitted):
    axes = md.pl.top_genes(fitted, 4, components=[2, 0], show=False)
    assert [ax.get_title(loc="left") for ax in axes] == ["component 2", "component 0"]
    phi = fitted.varm["dncb_mf_phi"][:, 2]
    best = np.argsort(-phi)[:4]
    assert genes(axes[0]) == list(fitted.var_names[best])
    np.testing.assert_allclose(axes[0].lines[0].get_xdata(), phi[best])
    bottom, top = axes[0].get_ylim()
    assert bottom > top  # the first gene is on top


def test_intervals_are_quantiles_of_the_draws(fitted):
    ax = md.pl.top_genes(fitted, 3, components=1, interval=0.8, show=False)[0]
    bars = [segment[:, 0] for segment in ax.collections[1].get_segments()]
    best = np.argsort(-fitted.varm["dncb_mf_phi"][:, 1])[:3]
    expected = np.quantile(fitted.varm["dncb_mf_phi_draws"][best, 1], [0.1, 0.9], axis=1).T
    np.testing.assert_allclose(bars, expected)


def test_without_draws_there_are_no_intervals(fitted):
    del fitted.varm["dncb_mf_phi_draws"]
    ax = md.pl.top_genes(fitted, components=1, show=False)[0]
    assert len(ax.collections) == 1


@pytest.mark.parametrize(("n_components", "n_panels"), [(1, 1), (40, 12)])
def test_any_number_of_components(make_fit, n_components, n_panels):
    adata = make_fit(6, 12, n_components, n_draws=2)
    adata.var_names = [f"a very long name of gene number {j}" for j in range(12)]
    figure = md.pl.top_genes(adata, return_fig=True)
    figure.draw_without_rendering()
    assert len(figure.axes) == n_panels
    width = figure.get_size_inches()[0] * figure.dpi
    for ax in figure.axes:
        assert ax.get_tightbbox().x0 >= 0
        assert ax.get_tightbbox().x1 <= width


def test_axes_must_match_the_components(fitted):
    figure, ax = plt.subplots()
    with pytest.raises(ValueError, match="2 components need 2 Axes, not 1"):
        md.pl.top_genes(fitted, components=[0, 1], ax=ax)
    assert md.pl.top_genes(fitted, components=[0], ax=ax, show=False) == [ax]
    assert md.pl.top_genes(fitted, components=[0], ax=ax, return_fig=True) is figure


def test_looks_as_it_did(fitted, looks_like):
    looks_like(md.pl.top_genes(fitted, 8, components=[0, 1, 2, 3], return_fig=True), "top_genes")

import numpy as np
import pandas as pd
import pytest
from matplotlib import colormaps, colors
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle

import methyl_dncb as md


def texts(ax):
    return [text.get_text() for text in ax.texts]


def drawn(ax, n_rows, n_columns):
    """The value in the middle of every cell of the image."""
    image = np.ma.filled(ax.images[0].get_array().astype(float), np.nan)
    rows = ((np.arange(n_rows) + 0.5) * image.shape[0] / n_rows).astype(int)
    columns = ((np.arange(n_columns) + 0.5) * image.shape[1] / n_columns).astype(int)
    return image[np.ix_(rows, columns)]


def test_shows_rho_in_the_order_of_samples_and_components(fitted):
    ax = md.pl.embedding_heatmap(fitted, components=None, cluster_samples=False, show=False)
    np.testing.assert_allclose(drawn(ax, 40, 5), fitted.obsm["X_dncb_mf"])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2", "3", "4"]
    assert ax.images[0].get_clim() == (0, 1)  # so that 0.5 is the middle of the colours
    assert ax.get_ylabel() == "40 samples"


def test_chosen_components_are_drawn_in_their_order(fitted):
    ax = md.pl.embedding_heatmap(fitted, components=[4, 1], cluster_samples=False, show=False)
    np.testing.assert_allclose(drawn(ax, 40, 2), fitted.obsm["X_dncb_mf"][:, [4, 1]])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["4", "1"]


def test_clustering_permutes_samples_within_groups_only(fitted):
    ax = md.pl.embedding_heatmap(fitted, "tissue", components=None, show=False)
    rho, group = fitted.obsm["X_dncb_mf"], fitted.obs["tissue"].cat.codes.to_numpy()
    image = drawn(ax, 40, 5)
    for code in range(3):
        rows = np.flatnonzero(group == code)
        np.testing.assert_allclose(np.sort(image[rows], axis=0), np.sort(rho[rows], axis=0))


def test_clustered_components_put_like_next_to_like(fitted):
    rho = fitted.obsm["X_dncb_mf"]
    rho[:, 3] = rho[:, 0] + 0.001
    ax = md.pl.embedding_heatmap(fitted, show=False)
    order = [label.get_text() for label in ax.get_xticklabels()]
    assert sorted(order) == ["0", "1", "2", "3", "4"]
    assert abs(order.index("0") - order.index("3")) == 1


def test_groups_are_labelled_in_order_and_the_unlabelled_come_last(fitted):
    fitted.obs["tissue"] = fitted.obs["tissue"].cat.reorder_categories(["tissue 2", "tissue 0", "tissue 1"])
    fitted.obs.loc[fitted.obs_names[::7], "tissue"] = np.nan
    ax = md.pl.embedding_heatmap(fitted, "tissue", show=False)
    assert texts(ax) == ["tissue 2", "tissue 0", "tissue 1", "unlabelled", "tissue"]
    heights = [patch.get_height() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert heights == [*fitted.obs["tissue"].value_counts()[["tissue 2", "tissue 0", "tissue 1"]], 6]
    separators = [line.get_ydata()[0] for line in ax.lines]
    np.testing.assert_allclose(separators, np.cumsum(heights)[:-1] - 0.5)


def test_inner_groups_are_nested_in_outer_ones(fitted):
    fitted.obs["sex"] = ["f", "m"] * 20
    ax = md.pl.embedding_heatmap(fitted, ["tissue", "sex"], show=False)
    assert texts(ax).count("f") == texts(ax).count("m") == 3
    assert texts(ax).count("tissue 1") == 1


def test_scanpy_colours_are_used(fitted):
    fitted.uns["tissue_colors"] = ["#111111", "#222222", "#333333"]
    ax = md.pl.embedding_heatmap(fitted, "tissue", show=False)
    assert [colors.to_hex(patch.get_facecolor()) for patch in ax.patches] == ["#111111", "#222222", "#333333"]


@pytest.mark.parametrize(("n_obs", "n_components"), [(4, 1), (4, 40), (4000, 1), (4000, 40)])
def test_any_size_keeps_labels_apart(make_fit, n_obs, n_components):
    adata = make_fit(n_obs, 12, n_components, n_groups=4, n_draws=1)
    figure = md.pl.embedding_heatmap(adata, "tissue", return_fig=True)
    figure.draw_without_rendering()
    ax = figure.axes[0]
    boxes = [text.get_window_extent() for text in ax.texts]
    labels = [label.get_window_extent() for label in ax.get_xticklabels()]
    for group in (boxes, labels):
        assert not any(a.overlaps(b) for i, a in enumerate(group) for b in group[:i])
    width, height = figure.get_size_inches() * figure.dpi
    for box in boxes + labels:
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= width
        assert box.y1 <= height
    if n_components == 40:
        assert len(labels) == 40


def test_many_small_groups_do_not_overlap_in_small_axes(make_fit):
    adata = make_fit(300, 10, 4, n_groups=60, n_draws=1)
    figure, ax = plt.subplots(figsize=(2, 2), layout="constrained")
    assert md.pl.embedding_heatmap(adata, "tissue", ax=ax, show=False) is ax
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts[:-1]]
    assert 5 < len(boxes) < 60
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_colours_stay_with_values(fitted):
    fitted.obsm["X_dncb_mf"][:, 0] = 0.5
    ax = md.pl.embedding_heatmap(fitted, components=[0], show=False)
    shown = ax.images[0].cmap(ax.images[0].norm(0.5))
    np.testing.assert_allclose(shown, colormaps["RdBu_r"](0.5))


def test_bad_arguments_say_what_would_do(fitted):
    with pytest.raises(ValueError, match=r"no fit under the key 'other'.*'dncb_mf'"):
        md.pl.embedding_heatmap(fitted, key="other")
    with pytest.raises(ValueError, match="columns are: 'tissue'"):
        md.pl.embedding_heatmap(fitted, "sex")
    with pytest.raises(ValueError, match="from 0 to 4"):
        md.pl.embedding_heatmap(fitted, components=[5])


def test_a_continuous_column_is_no_grouping(make_fit):
    adata = make_fit(200)
    adata.obs["age"] = np.linspace(20, 80, 200)
    with pytest.raises(ValueError, match=r"pandas\.cut"):
        md.pl.embedding_heatmap(adata, "age")


def test_looks_as_it_did(fitted, looks_like):
    fitted.obs["sex"] = pd.Categorical(["f", "m", None, "f"] * 10)
    looks_like(md.pl.embedding_heatmap(fitted, ["tissue", "sex"], return_fig=True), "embedding_heatmap")

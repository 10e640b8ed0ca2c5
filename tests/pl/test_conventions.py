"""What all plots share: scanpy's way of showing and returning, and of being combined with scanpy."""

import ast
import inspect
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import scanpy as sc
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import methyl_dncb as md
from methyl_dncb.pl._groups import spread
from methyl_dncb.pl._order import leaf_order

CALLS = {
    "beta_heatmap": lambda adata: (adata, "tissue"),
    "beta_histogram": lambda adata: (adata,),
    "component_groups": lambda adata: (adata, "tissue"),
    "density": lambda adata: ((0.75, 0.75, 1, 2),),
    "embedding_heatmap": lambda adata: (adata,),
    "heldout": lambda adata: (adata,),
    "posterior_predictive": lambda adata: (adata,),
    "top_genes": lambda adata: (adata,),
    "trace": lambda adata: (adata,),
}


@pytest.fixture
def ready(fitted):
    table = {
        "model": ["nmf"],
        "n_components": [3],
        "shape": [np.nan],
        "ppd": [1.0],
        "log_ppd": [0.0],
        "log_ppd_se": [0.1],
    }

    fitted.uns["select_components"] = {"table": pd.DataFrame(table)}
    return fitted


def test_every_plot_is_tried_here():
    assert sorted(CALLS) == sorted(md.pl.__all__)


@pytest.mark.parametrize("name", md.pl.__all__)
def test_scanpy_s_conventions(name, ready, monkeypatch):
    draw, arguments = getattr(md.pl, name), CALLS[name](ready)
    parameters = inspect.signature(draw).parameters
    assert all(parameters[each].kind is inspect.Parameter.KEYWORD_ONLY for each in ("ax", "show", "return_fig"))
    before = {slot: set(getattr(ready, slot)) for slot in ("obs", "var", "obsm", "varm", "uns", "layers")}

    returned = draw(*arguments, show=False)
    axes = returned if isinstance(returned, list) else [returned]
    assert all(isinstance(ax, Axes) for ax in axes)
    figure = draw(*arguments, return_fig=True)
    assert isinstance(figure, Figure)
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(1))
    assert draw(*arguments, show=True) is None
    assert shown == [1]
    assert (draw(*arguments) is None) is bool(sc.settings.autoshow)
    assert before == {slot: set(getattr(ready, slot)) for slot in before}  # a plot reads only


@pytest.mark.parametrize("name", md.pl.__all__)
def test_figures_are_one_column_wide_and_cut_nothing_off(name, ready):
    figure = getattr(md.pl, name)(*CALLS[name](ready), return_fig=True)
    width, height = figure.get_size_inches()
    assert width <= (4.3 if name == "beta_heatmap" else 3.3)  # thirty genes by name need some more
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    assert box.x0 >= -0.02
    assert box.y0 >= -0.02
    assert box.x1 <= width + 0.02
    assert box.y1 <= height + 0.02


def test_a_user_s_own_style_is_left_alone(ready):
    before = dict(mpl.rcParams)
    for name, arguments in CALLS.items():
        getattr(md.pl, name)(*arguments(ready), show=False)
    assert dict(mpl.rcParams) == before


def test_matplotlib_is_imported_by_those_who_draw():
    """Not by `import methyl_dncb`: at the top of a file matplotlib stands for type checkers only."""
    for path in Path(md.pl.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.startswith("matplotlib") for name in names), path.name


def test_rho_is_an_embedding_for_scanpy(fitted):
    # The Gaussian kernel and a plain search spare the test the minute that compiling UMAP takes.
    sc.pp.neighbors(fitted, use_rep="X_dncb_mf", n_neighbors=5, method="gauss", transformer="sklearn")
    sc.tl.diffmap(fitted, n_comps=3)
    ax = sc.pl.diffmap(fitted, color="tissue", show=False)
    assert len(ax.collections[0].get_offsets()) == fitted.n_obs
    # Colours that scanpy has chosen are those of the strips.
    ax = md.pl.embedding_heatmap(fitted, "tissue", show=False)
    drawn = [mpl.colors.to_hex(patch.get_facecolor()) for patch in ax.patches]
    assert drawn == [mpl.colors.to_hex(color) for color in fitted.uns["tissue_colors"]]


def test_labels_are_spread_no_more_than_needed():
    np.testing.assert_allclose(spread(np.array([1.0, 5.0, 9.0]), 2, 0, 10), [1, 5, 9])
    np.testing.assert_allclose(spread(np.array([1.0, 1.5, 9.0]), 2, 0, 10), [1, 3, 9])
    np.testing.assert_allclose(spread(np.array([1.0, 9.5, 9.9]), 2, 0, 10), [1, 8, 10])


@pytest.mark.parametrize("n_rows", [1, 2, 50, 200, 4100])
def test_leaf_order_is_a_permutation_that_sorts_a_line(n_rows):
    rng = np.random.default_rng(0)
    values = rng.permutation(n_rows)[:, None] * np.ones(3)
    order = leaf_order(values)
    assert sorted(order) == list(range(n_rows))
    if n_rows > 2000:  # along the first principal component
        assert abs(np.diff(values[order, 0])).max() == 1


def test_leaf_order_takes_missing_values():
    values = np.random.default_rng(0).random((10, 4))
    values[3] = np.nan
    values[:, 2] = np.nan
    assert sorted(leaf_order(values)) == list(range(10))

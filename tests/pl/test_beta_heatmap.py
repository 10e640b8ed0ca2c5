import numpy as np
import pytest

import methyl_dncb as md


def names(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


def test_the_most_variable_genes_are_shown(fitted):
    fitted.X[:, [3, 11]] = np.tile([[0.01], [0.99]], (20, 2))
    ax = md.pl.beta_heatmap(fitted, n_genes=2, show=False)
    assert sorted(names(ax)) == ["GENE11", "GENE3"]
    assert ax.get_xlabel() == "2 most variable of 30 genes"
    assert ax.images[0].get_clim() == (0, 1)


def test_given_genes_keep_their_order(fitted):
    ax = md.pl.beta_heatmap(fitted, genes=["GENE9", "GENE2", "GENE5"], show=False)
    assert names(ax) == ["GENE9", "GENE2", "GENE5"]


def test_missing_values_are_grey(fitted):
    fitted.X[:, 7] = np.nan
    fitted.X[0, 0] = np.nan
    ax = md.pl.beta_heatmap(fitted, genes=["GENE7", "GENE0"], cluster_samples=False, show=False)
    image = ax.images[0]
    values = np.ma.filled(image.get_array(), np.nan)
    assert np.isnan(values[:, 0]).all()
    assert np.isnan(values[0, -1])
    assert not np.isnan(values[-1, -1])
    red, green, blue, _ = image.cmap(np.ma.masked_invalid([np.nan]))[0]
    assert red == green == blue


def test_many_genes_are_counted_not_named(make_fit):
    ax = md.pl.beta_heatmap(make_fit(10, 700), show=False)
    assert names(ax) == []
    assert ax.get_xlabel() == "500 most variable of 700 genes"


def test_long_names_are_shortened_in_the_middle(fitted):
    fitted.var_names = [f"ENSG00000000000{j:03d}.12_a_long_suffix" for j in range(30)]
    ax = md.pl.beta_heatmap(fitted, n_genes=5, show=False)
    assert all(len(name) <= 16 and "…" in name for name in names(ax))


def test_more_rows_than_can_be_seen_are_averaged(make_fit):
    adata = make_fit(5000, 8, 2, n_draws=1)
    ax = md.pl.beta_heatmap(adata, cluster_samples=False, cluster_genes=False, show=False)
    image = ax.images[0].get_array()
    assert image.shape[0] == 2000
    np.testing.assert_allclose(image.mean(), adata.X.mean(), atol=0.005)


def test_bad_arguments_say_what_would_do(fitted):
    with pytest.raises(ValueError, match=r"not in adata\.var_names: .'TP53'"):
        md.pl.beta_heatmap(fitted, genes=["TP53", "GENE1"])
    with pytest.raises(ValueError, match="n_genes must be at least 1"):
        md.pl.beta_heatmap(fitted, n_genes=0)


def test_looks_as_it_did(fitted, looks_like):
    fitted.X[np.random.default_rng(0).random(fitted.shape) < 0.1] = np.nan
    looks_like(md.pl.beta_heatmap(fitted, "tissue", return_fig=True), "beta_heatmap")

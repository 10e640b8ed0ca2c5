import sys

import numpy as np
import pandas as pd
import pytest
from anndata import read_h5ad
from scipy import stats

import methyl_dncb as md


@pytest.fixture
def adata():
    return md.datasets.simulate_groups(20, 120, n_groups=2, rng=0)


@pytest.fixture
def gene_sets(adata):
    return {name: list(adata.var_names[adata.var["gene_set"] == name]) for name in adata.var["gene_set"].cat.categories}


def test_every_component_finds_its_own_genes(adata, gene_sets):
    table = md.tl.enrich(adata, gene_sets, key="truth")
    best = table.groupby("component", sort=False).first()
    assert best["gene_set"].to_list() == best.index.to_list()
    assert (best["p_adj"] < 1e-6).all()
    assert table["n_genes"].to_list()[0] == len(gene_sets["hyper G1"])
    assert table["component"].drop_duplicates().to_list() == list(adata.uns["truth"]["components"])


def test_scores_are_t_statistics_of_membership(adata, gene_sets):
    adata.varm["truth_phi"] = np.random.default_rng(0).gamma(1, 1, adata.varm["truth_phi"].shape)
    table = md.tl.enrich(adata, gene_sets, key="truth").set_index(["component", "gene_set"])
    inside = adata.var["gene_set"] == "methylated"
    slope = stats.linregress(inside.astype(float), np.log(adata.varm["truth_phi"][:, 1]))
    score = table.loc[("hypo G1", "methylated"), "score"]
    np.testing.assert_allclose(score, slope.slope / slope.stderr, rtol=1e-4)


def test_file_table_and_dict_agree(adata, gene_sets, tmp_path):
    path = tmp_path / "sets.gmt"
    path.write_text("".join(f"{name}\ta description\t" + "\t".join(genes) + "\n" for name, genes in gene_sets.items()))
    net = pd.DataFrame([(name, gene) for name, genes in gene_sets.items() for gene in genes])
    net.columns = ["source", "target"]
    tables = [md.tl.enrich(adata, source, key="truth") for source in (path, str(path), net, gene_sets)]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])


def test_genes_outside_the_fit_and_small_sets_do_not_count(adata, gene_sets):
    gene_sets["small"] = [*adata.var_names[:4], "not a gene"]
    adata.varm["truth_phi"][::2] = np.nan
    table = md.tl.enrich(adata, gene_sets, key="truth")
    assert "small" not in set(table["gene_set"])
    sizes = adata.var["gene_set"].iloc[1::2].value_counts()
    found = table.drop_duplicates("gene_set").set_index("gene_set")["n_genes"]
    assert found.to_dict() == sizes[sizes >= 5].to_dict()


def test_the_table_survives_a_file(adata, gene_sets, tmp_path):
    table = md.tl.enrich(adata, gene_sets, key="truth", key_added="sets")
    adata.write_h5ad(tmp_path / "a.h5ad")
    pd.testing.assert_frame_equal(read_h5ad(tmp_path / "a.h5ad").uns["sets"], table, check_dtype=False)


def test_bad_arguments_say_what_would_do(adata, gene_sets, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="same kind of name"):
        md.tl.enrich(adata, {"a": [f"ENSG{i}" for i in range(9)]}, key="truth")
    with pytest.raises(ValueError, match="lacks the column 'source'"):
        md.tl.enrich(adata, pd.DataFrame({"set": ["a"], "target": ["b"]}), key="truth")
    with pytest.raises(TypeError, match="GMT file, a DataFrame or a dict"):
        md.tl.enrich(adata, 3, key="truth")
    path = tmp_path / "bad.gmt"
    path.write_text("good\tx\tHOXA1\nonly a name\n")
    with pytest.raises(ValueError, match="line 2"):
        md.tl.enrich(adata, path, key="truth")
    path.write_text("a\tx\tHOXA1\na\tx\tHOXA1\n")
    with pytest.raises(ValueError, match="names must be unique"):
        md.tl.enrich(adata, path, key="truth")
    assert "enrich" not in adata.uns
    monkeypatch.setitem(sys.modules, "decoupler", None)
    with pytest.raises(ImportError, match=r"methyl-dncb\[enrich\]"):
        md.tl.enrich(adata, gene_sets, key="truth")

"""Filters, gene selection, QC, M values and probes."""

from __future__ import annotations

import anndata
import numpy as np
import pandas as pd
import pytest

from methyl_dncb import io, pp


@pytest.fixture
def adata():
    rng = np.random.default_rng(1)
    beta = rng.beta(0.7, 0.7, (12, 40)).astype(np.float32)
    beta[rng.random(beta.shape) < 0.2] = np.nan
    beta[:, 5] = np.nan
    beta[1:, 6] = np.nan
    reads = rng.poisson(4, (2, 12, 40)).astype(np.int32)
    layers = {"methylated": reads[0], "unmethylated": reads[1]}
    return anndata.AnnData(beta, layers=layers)


def test_highly_variable(adata):
    variance = pd.DataFrame(adata.X.astype(float)).var()  # pandas leaves NaN out
    pp.highly_variable(adata, 7)
    np.testing.assert_allclose(adata.var["variance_beta"], variance)
    chosen = np.flatnonzero(adata.var["highly_variable"])
    assert set(chosen) == set(variance.nlargest(7).index)
    ranks = adata.var["highly_variable_rank"].to_numpy()
    assert variance[np.nanargmin(ranks)] == variance.max()


def test_highly_variable_subset_and_few(adata):
    small = pp.highly_variable(adata, 7, subset=True, copy=True)
    assert small.shape == (12, 7)
    assert adata.shape == (12, 40)
    pp.highly_variable(adata)  # more than there are: those with a variance
    assert adata.var["highly_variable"].sum() == 38


def test_filters_report(adata):
    adata.X[4] = np.nan
    pp.filter_samples(adata, max_missing=0.6)
    pp.filter_regions(adata, max_missing=0.5, min_mean_reads=1)
    assert adata.n_obs == 11
    record = adata.uns["filtered"]
    assert record["samples"]["names"].tolist() == ["4"]
    assert {"5", "6"} <= set(record["regions"]["names"])
    assert record["regions"]["n_after"] == adata.n_vars
    assert np.isnan(adata.X).mean(axis=0).max() <= 0.5


def test_filter_by_reads(adata):
    for layer in adata.layers.values():
        layer[:, :10] = 0
    pp.filter_regions(adata, max_missing=None, min_mean_reads=1)
    assert adata.n_vars == 30
    assert adata.uns["filtered"]["regions"]["by"] == {"coverage": 10}


def test_filters_refuse(adata):
    with pytest.raises(ValueError, match="all 12 samples would go"):
        pp.filter_samples(adata, max_missing=0.0)
    with pytest.raises(ValueError, match="share"):
        pp.filter_samples(adata, max_missing=2)
    with pytest.raises(ValueError, match="nothing to filter"):
        pp.filter_regions(adata, max_missing=None)
    assert adata.shape == (12, 40)
    assert "filtered" not in adata.uns


def test_qc_metrics(adata):
    pp.qc_metrics(adata)
    reads = adata.layers["methylated"] + adata.layers["unmethylated"]
    for axis, table in ((1, adata.obs), (0, adata.var)):
        np.testing.assert_array_equal(table["total_reads"], reads.sum(axis))
        np.testing.assert_allclose(table["missing_share"], np.isnan(adata.X).mean(axis))
        frame = pd.DataFrame(adata.X.astype(float))
        np.testing.assert_allclose(table["mean_beta"], frame.mean(axis=axis), rtol=1e-6)
    without = anndata.AnnData(adata.X)
    pp.qc_metrics(without)
    assert "total_reads" not in without.obs


def test_everything_written_survives(adata, tmp_path):
    pp.filter_regions(adata)
    pp.highly_variable(adata, 5)
    pp.qc_metrics(adata)
    adata.write_h5ad(tmp_path / "a.h5ad")
    adata.write_zarr(tmp_path / "a.zarr")
    for back in (anndata.read_h5ad(tmp_path / "a.h5ad"), anndata.read_zarr(tmp_path / "a.zarr")):
        pd.testing.assert_frame_equal(back.var, adata.var)
        pd.testing.assert_frame_equal(back.obs, adata.obs)
        assert back.uns["filtered"]["regions"]["n_after"] == adata.n_vars


def test_m_values_round_trip(adata):
    m = pp.beta_to_m(adata, copy=True)
    np.testing.assert_allclose(m.X, np.log2(adata.X / (1 - adata.X)), rtol=1e-4, atol=1e-4)
    pp.m_to_beta(m)
    np.testing.assert_allclose(m.X, adata.X, atol=1e-5)


def test_m_values_are_finite():
    edge = anndata.AnnData(np.array([[0.0, 1.0]], dtype=np.float32))
    pp.beta_to_m(edge)
    np.testing.assert_allclose(edge.X, [[-19.93, 19.93]], atol=0.01)
    with pytest.raises(ValueError, match="epsilon"):
        pp.beta_to_m(edge, epsilon=0.7)


MANIFEST = """Illumina, Inc.,,
[Heading],,
Descriptor File Name,EPIC.csv,
[Assay],,
IlmnID,Name,UCSC_RefGene_Name
cg01_TC21,cg01,ABC1;ABC1
cg01_BC21,cg01,ABC1
cg02_TC11,cg02,ABC1;XYZ2
cg03_TC11,cg03,
[Controls],,
21630339,Staining,
"""


class TestCollapse:
    """Probes by gene."""

    @pytest.fixture
    def probes(self):
        beta = np.array([[0.1, 0.3, 0.8, 0.5], [np.nan, 0.4, np.nan, 0.5]], dtype=np.float32)
        adata = anndata.AnnData(beta, obs=pd.DataFrame({"group": ["a", "b"]}, index=["s1", "s2"]))
        adata.var_names = ["cg01_TC21", "cg01_BC21", "cg02_TC11", "cg03_TC11"]
        return adata

    def test_manifest(self, probes, tmp_path):
        path = tmp_path / "manifest.csv"
        path.write_text(MANIFEST)
        genes = pp.collapse_probes(probes, path)
        assert genes.var_names.tolist() == ["ABC1", "XYZ2"]
        assert genes.var["n_probes"].tolist() == [3, 1]
        np.testing.assert_allclose(genes.X, [[0.4, 0.8], [0.4, np.nan]], rtol=1e-6)
        assert genes.obs["group"].tolist() == ["a", "b"]

    def test_replicates_count_as_their_probe(self, probes):
        mapping = pd.DataFrame({"probe": ["cg01", "cg02"], "gene": ["ABC1", "XYZ2"]})
        genes = pp.collapse_probes(probes, mapping)
        assert genes.var["n_probes"].tolist() == [2, 1]
        by_index = pp.collapse_probes(probes, mapping.set_index("probe"))
        np.testing.assert_array_equal(genes.X, by_index.X)

    def test_median(self, probes, tmp_path):
        path = tmp_path / "manifest.csv"
        path.write_text(MANIFEST)
        genes = pp.collapse_probes(probes, path, how="median")
        np.testing.assert_allclose(genes.X, [[0.3, 0.8], [0.4, np.nan]], rtol=1e-6)

    def test_refused(self, probes, tmp_path):
        with pytest.raises(ValueError, match="no probe"):
            pp.collapse_probes(probes, pd.DataFrame({"probe": ["x"], "gene": ["y"]}))
        with pytest.raises(ValueError, match="column of genes"):
            pp.collapse_probes(probes, pd.DataFrame({"probe": ["x"]}))
        with pytest.raises(ValueError, match="how"):
            pp.collapse_probes(probes, pd.DataFrame({"probe": ["cg01"], "gene": ["y"]}), how="sum")
        (tmp_path / "x.csv").write_text("a,b\n1,2\n")
        with pytest.raises(io.FormatError, match="line 1"):
            pp.collapse_probes(probes, tmp_path / "x.csv")


def test_beta_of_a_view_without_x():
    reads = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.int32)
    adata = anndata.AnnData(shape=(3, 2), layers={"methylated": reads, "unmethylated": reads})
    part = adata[1:]
    pp.beta(part)
    np.testing.assert_allclose(part.X, 0.5)
    assert adata.X is None


@pytest.mark.parametrize("function", [pp.beta, pp.beta_to_m, pp.m_to_beta, pp.qc_metrics])
def test_a_view_leaves_its_parent_alone(adata, function):
    before = adata.copy()
    view = adata[:8, :30]
    function(view)
    assert not view.is_view
    np.testing.assert_array_equal(adata.X, before.X)
    assert list(adata.obs) == list(before.obs)
    separate = before[:8, :30].copy()
    function(separate)
    np.testing.assert_array_equal(view.X, separate.X)
    pd.testing.assert_frame_equal(view.obs, separate.obs)


def test_mean_reads_are_those_of_observed_entries():
    reads = np.full((1, 100), 9, dtype=np.int32)
    reads[0, 3] = 10
    adata = anndata.AnnData(shape=(1, 100), layers={"methylated": reads, "unmethylated": np.zeros_like(reads)})
    pp.beta(adata, min_coverage=10)
    pp.qc_metrics(adata)
    assert adata.obs["mean_reads"].item() == 10
    assert adata.obs["total_reads"].item() == 901
    assert adata.var["mean_reads"].dropna().tolist() == [10]


def test_no_variance_is_refused(adata):
    with pytest.raises(ValueError, match="no gene has two observed values"):
        pp.highly_variable(adata[:1].copy(), subset=True)


def test_collapsed_probes_are_separate():
    adata = anndata.AnnData(np.array([[0.2, 0.4]], dtype=np.float32), obsm={"p": np.zeros((1, 2))}, uns={"k": {"q": 1}})
    adata.var_names = ["cg1", "cg2"]
    genes = pp.collapse_probes(adata, pd.DataFrame({"probe": ["cg1", "cg2"], "gene": ["A", "A"]}))
    genes.obsm["p"][0, 0], genes.uns["k"]["q"] = 5, 2
    assert (adata.obsm["p"][0, 0], adata.uns["k"]["q"]) == (0, 1)

"""From counts to β."""

from __future__ import annotations

import anndata
import numpy as np
import pytest
from scipy import sparse

from methyl_dncb import pp


@pytest.fixture
def adata():
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.5, (2, 7, 30)).astype(np.int32)
    return anndata.AnnData(shape=(7, 30), layers={"methylated": counts[0], "unmethylated": counts[1]})


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize(("smoothing", "min_coverage"), [(0.1, 1), (0.1, 3), (0.5, 0), (0.0, 1)])
def test_formula(adata, kind, smoothing, min_coverage):
    d, u = (adata.layers[name].astype(float) for name in ("methylated", "unmethylated"))
    for name in adata.layers:
        adata.layers[name] = kind(adata.layers[name])
    assert pp.beta(adata, smoothing=smoothing, min_coverage=min_coverage) is None
    assert adata.X.dtype == np.float32
    missing = d + u < min_coverage
    assert missing.any() == (min_coverage > 0)
    np.testing.assert_array_equal(np.isnan(adata.X), missing)
    expected = ((smoothing + d) / np.where(missing, 1, 2 * smoothing + d + u))[~missing]
    np.testing.assert_allclose(adata.X[~missing], expected, rtol=1e-6)


def test_paper_formula_without_reads(adata):
    adata.layers["methylated"][0, 0] = adata.layers["unmethylated"][0, 0] = 0
    assert pp.beta(adata, min_coverage=0, copy=True).X[0, 0] == 0.5


def test_nothing_left_is_told(adata):
    with pytest.warns(UserWarning, match="no entry has min_coverage=99 reads"):
        pp.beta(adata, min_coverage=99)


def test_blocks_of_rows(adata, monkeypatch):
    whole = pp.beta(adata, copy=True).X
    monkeypatch.setattr("methyl_dncb.pp._rows.ENTRIES", 31)
    np.testing.assert_array_equal(pp.beta(adata, copy=True).X, whole)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"smoothing": -1}, ValueError, "smoothing"),
        ({"smoothing": "much"}, TypeError, "smoothing"),
        ({"min_coverage": -1}, ValueError, "min_coverage"),
        ({"min_coverage": 0, "smoothing": 0}, ValueError, "divide"),
        ({"methylated": "meth"}, ValueError, "no layer 'meth'"),
    ],
)
def test_refused(adata, arguments, error, message):
    with pytest.raises(error, match=message):
        pp.beta(adata, **arguments)
    assert adata.X is None


def test_negative_counts_leave_adata_alone(adata):
    adata.layers["unmethylated"][3, 3] = -1
    with pytest.raises(ValueError, match="negative"):
        pp.beta(adata)
    assert adata.X is None

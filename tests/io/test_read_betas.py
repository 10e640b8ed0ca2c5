"""Matrices of β: tables, GEO, GDC; pickles refused."""

from __future__ import annotations

import gzip
import pickle

import anndata
import numpy as np
import pandas as pd
import pytest

from methyl_dncb import io


@pytest.fixture
def betas():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        rng.random((3, 5)).round(4),
        index=["s1", "s2", "s3"],
        columns=[f"cg{i:08d}" for i in range(4)] + ["rs12"],
    )
    frame.iloc[1, 2] = np.nan
    return frame


@pytest.mark.parametrize("sep", [",", "\t", ";"])
@pytest.mark.parametrize("samples_in_rows", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_tables(betas, tmp_path, sep, samples_in_rows, packed):
    text = (betas if samples_in_rows else betas.T).to_csv(sep=sep, na_rep="NA")
    path = tmp_path / "matrix.txt"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    adata = io.read_betas(path)
    assert adata.X.dtype == np.float32
    pd.testing.assert_frame_equal(adata.to_df().astype(float), betas, rtol=1e-6, check_names=False)


def test_parquet(betas, tmp_path):
    pytest.importorskip("pyarrow")
    betas.T.to_parquet(tmp_path / "with_index.parquet")
    betas.T.rename_axis("probe").reset_index().to_parquet(tmp_path / "with_column.parquet")
    for path in tmp_path.iterdir():
        np.testing.assert_allclose(io.read_betas(path).X, betas, rtol=1e-6)


def test_orientation_must_show(betas, tmp_path):
    betas.columns = list("abcde")
    path = tmp_path / "genes.csv"
    betas.to_csv(path)
    with pytest.raises(io.FormatError, match="samples='rows'"):
        io.read_betas(path)
    assert io.read_betas(path, samples="columns").shape == (5, 3)


def test_m_values(betas, tmp_path):
    path = tmp_path / "m.csv"
    np.log2(betas / (1 - betas)).to_csv(path)
    with pytest.raises(io.FormatError, match="values='m'"):
        io.read_betas(path)
    np.testing.assert_allclose(io.read_betas(path, values="m").X, betas, rtol=1e-5)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_refused_unopened(betas, tmp_path, protocol):
    path = tmp_path / "beta_values.csv"  # whatever the name
    path.write_bytes(pickle.dumps(betas, protocol=protocol))
    with pytest.raises(io.FormatError, match=r"runs whatever code.*to_parquet"):
        io.read_betas(path)
    with pytest.raises(io.FormatError, match="pickle"):
        io.read_betas(path.rename(tmp_path / "beta_values.pkl"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("probe,s1\n", "no values"),
        ("probe,s1\ncg00000001,0.1\ncg00000002,high\n", "line 3.*'high'"),
        ("probe,s1\ncg00000001,0.1\ncg00000001,0.2\n", "two probes"),
        ("probe,s1\ncg00000001,0.1,0.2,0.3\n,,\n", "line 2: has 4 fields where 2 are expected"),
        ("probe,A,B\ncg00000029,.1,.2,\ncg00000108,.3,.4,\n", "line 2: has 4 fields where 3 are expected"),
        ("probe,A,B\n\ncg00000029,.1,.2\ncg00000108,.3\n", "line 4: has 2 fields where 3 are expected"),
        ("probe,A,B,\ncg00000029,.1,.2,\n", "line 1: column 4 has no name"),
        ("probe\ncg00000001\n", "line 1.*one column"),
        ("probe,s1\n\xff\xfe", "UTF-8"),
    ],
)
def test_bad_tables(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(io.FormatError, match=message):
        io.read_betas(path)


SERIES = """!Series_title\t"Study"
!Series_geo_accession\t"GSE1"
!Sample_title\t"first"\t"second"
!Sample_geo_accession\t"GSM1"\t"GSM2"
!Sample_characteristics_ch1\t"tissue: liver"\t"tissue: lung"
!Sample_characteristics_ch1\t"age: 41"\t"Sex: F"
!series_matrix_table_begin
"ID_REF"\t"GSM1"\t"GSM2"
"""


class TestSeriesMatrix:
    """GEO's files."""

    def test_values_and_annotations(self, tmp_path):
        path = tmp_path / "GSE1_series_matrix.txt.gz"
        body = '"cg00000029"\t0.4\t0.5\n"cg00000108"\t\t0.9\n!series_matrix_table_end\n'
        path.write_bytes(gzip.compress((SERIES + body).encode()))
        adata = io.read_betas(path)
        assert adata.obs_names.tolist() == ["GSM1", "GSM2"]
        assert adata.obs["tissue"].tolist() == ["liver", "lung"]
        assert adata.obs["age"].tolist() == ["41", ""]
        assert adata.obs["Sex"].tolist() == ["", "F"]
        np.testing.assert_allclose(adata.X, [[0.4, np.nan], [0.5, 0.9]], rtol=1e-6)
        adata.write_h5ad(tmp_path / "a.h5ad")
        assert anndata.read_h5ad(tmp_path / "a.h5ad").uns["calls"]["format"] == "geo_series_matrix"

    @pytest.mark.parametrize(
        ("tail", "message"),
        [
            ("!series_matrix_table_end\n", "annotations only.*supplementary"),
            ('"cg00000029"\t0.4\t0.5\n', "truncated"),
            ('"cg00000029"\t0.4\tx\n!series_matrix_table_end\n', "line 9.*'x'"),
        ],
    )
    def test_refused(self, tmp_path, tail, message):
        path = tmp_path / "GSE1_series_matrix.txt"
        path.write_text(SERIES + tail)
        with pytest.raises(io.FormatError, match=message):
            io.read_betas(path)


class TestGdc:
    """A download of the GDC."""

    @pytest.fixture
    def folder(self, tmp_path):
        rows = ["File ID\tFile Name\tData Type\tCase ID\tSample ID\tSample Type"]
        for i, betas in enumerate(["cg00000029\t0.4\ncg00000108\tNA\n", "cg00000029\t0.5\ncg00000165\t0.7\n"]):
            (tmp_path / f"id{i}").mkdir()
            (tmp_path / f"id{i}" / f"{i}.level3betas.txt").write_text(betas)
            rows.append(f"id{i}\t{i}.level3betas.txt\tMethylation Beta Value\tTCGA-{i}\tTCGA-{i}-01A\tTumor")
        (tmp_path / "gdc_sample_sheet.2024.tsv").write_text("\n".join(rows) + "\n")
        return tmp_path

    def test_folder(self, folder):
        adata = io.read_betas(folder)
        assert adata.obs_names.tolist() == ["TCGA-0-01A", "TCGA-1-01A"]
        assert adata.obs["Sample Type"].tolist() == ["Tumor", "Tumor"]
        expected = [[0.4, np.nan, np.nan], [0.5, np.nan, 0.7]]
        np.testing.assert_allclose(adata.to_df()[["cg00000029", "cg00000108", "cg00000165"]], expected, rtol=1e-6)

    def test_missing_file(self, folder):
        (folder / "id1" / "1.level3betas.txt").unlink()
        with pytest.raises(io.FormatError, match=r"lists '1.level3betas.txt'"):
            io.read_betas(folder)

    def test_missing_sheet(self, folder):
        (folder / "gdc_sample_sheet.2024.tsv").unlink()
        with pytest.raises(io.FormatError, match="0 GDC sample sheets"):
            io.read_betas(folder)


def test_a_file_of_one_sample_needs_no_header(tmp_path):
    path = tmp_path / "GSM1.level3betas.txt"
    path.write_text("cg00000029\t0.5\ncg00000108\tNA\ncg00000109\t0.25\n")
    adata = io.read_betas(path)
    assert adata.obs_names.tolist() == ["GSM1"]
    assert adata.var_names.tolist() == ["cg00000029", "cg00000108", "cg00000109"]
    path.write_text("cg00000029\t0.5\ncg00000108\tx\n")
    with pytest.raises(io.FormatError, match="line 2"):
        io.read_betas(path)
    path.write_text("cg00000029\t0.5\t0.6\ncg00000108\t0.1\t0.2\n")
    with pytest.raises(io.FormatError, match="has no header"):
        io.read_betas(path)


def test_two_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "betas.csv"
    path.write_text("probe,s1,s1\ncg00000029,.1,.2\n")
    with pytest.raises(io.FormatError, match="two columns called 's1'"):
        io.read_betas(path)


def test_an_empty_file_of_the_gdc_is_named(tmp_path):
    (tmp_path / "sheet.tsv").write_text("File Name\tSample ID\nx.txt\tX\ny.txt\tY\n")
    (tmp_path / "x.txt").write_text("cg00000029\t0.5\n")
    (tmp_path / "y.txt").write_text("")
    with pytest.raises(io.FormatError, match=r"y\.txt.* is empty"):
        io.read_betas(tmp_path)


def test_characteristics_do_not_replace_fields_of_geo(tmp_path):
    path = tmp_path / "series_matrix.txt"
    lines = ['!Sample_title\t"one"', '!Sample_geo_accession\t"GSM1"', '!Sample_characteristics_ch1\t"title: liver"']
    lines += ['!Sample_characteristics_ch1\t": odd"', '!Sample_characteristics_ch1\t"_index: 3"']
    lines += ["!series_matrix_table_begin", '"ID_REF"\t"GSM1"', '"cg00000029"\t0.5', "!series_matrix_table_end"]
    path.write_text("\n".join(lines))
    adata = io.read_betas(path)
    assert adata.obs.loc["GSM1", ["title", "title_ch1", "index"]].tolist() == ["one", "liver", "3"]
    adata.write_h5ad(tmp_path / "a.h5ad")


def test_row_names_as_r_writes_them_and_quoted_separators(tmp_path):
    path = tmp_path / "betas.csv"
    path.write_text('"A, first","B"\n"cg00000029",.1,.2\n"cg00000108",.3,\n')
    adata = io.read_betas(path)
    assert adata.obs_names.tolist() == ["A, first", "B"]
    np.testing.assert_allclose(adata.X, [[0.1, 0.3], [0.2, np.nan]], rtol=1e-6)

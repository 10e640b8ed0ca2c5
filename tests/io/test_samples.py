"""Which files make which samples, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest

from methyl_dncb import io
from methyl_dncb.io._samples import sample_name
from tests.io import call_writers as writers

REGIONS = pd.DataFrame({"chrom": ["chr1", "chr2"], "start": [0, 0], "end": [10_000, 10_000]})


@pytest.fixture
def folder(tmp_path):
    for i, name in enumerate("abcd"):
        (tmp_path / f"{name}.bismark.cov").write_text(writers.render("bismark_cov", writers.make_calls(i)))
    return tmp_path


def total(*seeds: int) -> int:
    return sum(call[4] for seed in seeds for call in writers.make_calls(seed))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("S1.bismark.cov.gz", "S1"),
        ("S1_1_val_1_bismark_bt2_pe.deduplicated.bismark.cov.gz", "S1"),
        ("S1.markdup.sorted_CpG.bedGraph", "S1"),
        ("S1_bismark_bt2_pe.deduplicated.CpG_report.txt.gz", "S1"),
        ("cell-7.allc.tsv.gz", "cell-7"),
        (".cov", ".cov"),
        ("strange name", "strange name"),
    ],
)
def test_names_from_files(name, expected):
    assert sample_name(Path(name)) == expected


def test_list_glob_and_dict(folder):
    paths = sorted(folder.glob("*.cov"))
    by_list = io.read_calls(paths, regions=REGIONS)
    by_glob = io.read_calls(str(folder / "*.cov"), regions=REGIONS)
    by_dict = io.read_calls(dict(zip("abcd", paths, strict=True)), regions=REGIONS)
    for adata in (by_list, by_glob, by_dict):
        assert adata.obs_names.tolist() == list("abcd")
        assert adata.layers["methylated"].sum(axis=1).tolist() == [total(i) for i in range(4)]
    named = io.read_calls(paths, regions=REGIONS, sample_names=["w", "x", "y", "z"])
    assert named.obs_names.tolist() == ["w", "x", "y", "z"]


def test_files_of_one_sample_add_up(folder):
    a, b, c, _ = sorted(folder.glob("*.cov"))
    adata = io.read_calls({"ab": [a, b], "c": c}, regions=REGIONS)
    assert adata.layers["methylated"].sum(axis=1).tolist() == [total(0, 1), total(2)]
    by_locus = io.read_calls({"ab": [a, b], "c": c})
    assert by_locus.layers["methylated"].sum(axis=1).ravel().tolist() == [[total(0, 1), total(2)]]
    assert adata.uns["calls"]["sample"].tolist() == ["ab", "ab", "c"]


@pytest.mark.parametrize("sep", [",", "\t", ";"])
def test_sample_sheet(folder, sep):
    rows = [("x", "a.bismark.cov", "tumour", "41"), ("x", "b.bismark.cov", "tumour", "41")]
    rows += [("y", str(folder / "c.bismark.cov"), "normal", "38")]
    sheet = folder / "sheet.csv"
    sheet.write_text("\n".join(sep.join(row) for row in [("sample", "file", "kind", "age"), *rows]) + "\n")
    adata = io.read_calls(sheet, regions=REGIONS)
    assert adata.obs_names.tolist() == ["x", "y"]
    assert adata.obs["kind"].tolist() == ["tumour", "normal"]
    assert adata.obs["age"].tolist() == [41, 38]
    assert adata.layers["methylated"].sum(axis=1).tolist() == [total(0, 1), total(2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sample,file\nx,\n", "line 2.*blank"),
        ("sample,file\n", "without samples"),
        ("sample,file,kind\nx,a.bismark.cov,1\nx,b.bismark.cov,2\n", "more than one value of 'kind'"),
        (
            "sample,path,kind\nx,a.bismark.cov,1\n",
            "line 1: is a sample sheet without files .* call the column of files 'file'",
        ),
        ("sample,file\n\nx,a.bismark.cov\n\n,b.bismark.cov\n", "line 5: sample or file is blank"),
    ],
)
def test_bad_sheets(folder, text, message):
    (folder / "sheet.csv").write_text(text)
    with pytest.raises(io.FormatError, match=message):
        io.read_calls(folder / "sheet.csv")


class TestMethylseq:
    """The sheet that starts nf-core/methylseq, beside what the run published."""

    @pytest.fixture
    def run(self, tmp_path):
        rows = ["S1,S1_L1_R1.fq.gz,S1_L1_R2.fq.gz,", "S1,S1_L2_R1.fq.gz,S1_L2_R2.fq.gz,", "S1_b,x_R1.fq.gz,,"]
        (tmp_path / "samplesheet.csv").write_text("\n".join(["sample,fastq_1,fastq_2,genome", *rows]) + "\n")
        place = tmp_path / "results/bismark/methylation_calls/methylation_coverage"
        place.mkdir(parents=True)
        for seed, name in enumerate(["S1_1_val_1_bismark_bt2_pe.deduplicated", "S1_b_trimmed_bismark_bt2"]):
            text = writers.render("bismark_cov", writers.make_calls(seed))
            (place / f"{name}.bismark.cov.gz").write_text(text)
        return tmp_path

    def test_finds_calls(self, run):
        adata = io.read_calls(run / "samplesheet.csv", regions=REGIONS)
        assert adata.obs_names.tolist() == ["S1", "S1_b"]
        assert adata.layers["methylated"].sum(axis=1).tolist() == [total(0), total(1)]

    def test_bwameth(self, run):
        place = run / "results/bismark/methylation_calls/methylation_coverage"
        new = run / "results/methyldackel"
        place.rename(new)
        for path in new.iterdir():
            path.rename(new / (path.name.split("_1_val")[0].split("_trimmed")[0] + ".markdup.sorted_CpG.bedGraph"))
        assert io.read_calls(run / "samplesheet.csv", regions=REGIONS).n_obs == 2

    def test_other_contexts_are_left_out(self, run):
        place = run / "results/methyldackel"
        (run / "results/bismark/methylation_calls/methylation_coverage").rename(place)
        for path in list(place.iterdir()):
            name = path.name.split("_1_val")[0].split("_trimmed")[0]
            for context in ("CpG", "CHG", "CHH"):
                (place / f"{name}_{context}.bedGraph").write_bytes(path.read_bytes())
            path.unlink()
        adata = io.read_calls(run / "samplesheet.csv", regions=REGIONS)
        assert adata.layers["methylated"].sum(axis=1).tolist() == [total(0), total(1)]

    def test_cpgs_are_not_taken_for_another_context(self, run):
        with pytest.raises(io.FormatError, match="not of CHG; add a column 'file'"):
            io.read_calls(run / "samplesheet.csv", context="CHG")

    @pytest.mark.parametrize("other", ["old/methylation_coverage/S1_pe", "results/methylation_coverage/S1_c"])
    def test_files_of_another_run_or_sample_are_not_added(self, run, other):
        path = run / f"{other}.bismark.cov.gz"
        path.parent.mkdir(parents=True)
        path.write_text(writers.render("bismark_cov", writers.make_calls(2)))
        with pytest.raises(io.FormatError, match="could be of one sample"):
            io.read_calls(run / "samplesheet.csv")

    def test_missing(self, run):
        place = run / "results/bismark/methylation_calls/methylation_coverage"
        next(place.glob("S1_b*")).unlink()
        with pytest.raises(io.FormatError, match="no calls of sample 'S1_b'"):
            io.read_calls(run / "samplesheet.csv")
        for path in place.iterdir():
            path.unlink()
        with pytest.raises(io.FormatError, match="add a column 'file'"):
            io.read_calls(run / "samplesheet.csv")


def test_refused(folder):
    a = folder / "a.bismark.cov"
    (folder / "sub").mkdir()
    (folder / "sub" / "a.bismark.cov").write_text(a.read_text())
    with pytest.raises(ValueError, match="two samples are called 'a'"):
        io.read_calls([a, folder / "sub" / "a.bismark.cov"])
    with pytest.raises(ValueError, match="given twice"):
        io.read_calls({"x": a, "y": a})
    with pytest.raises(ValueError, match="2 names for 1 files"):
        io.read_calls([a], sample_names=["x", "y"])
    with pytest.raises(ValueError, match="names the samples itself"):
        io.read_calls({"x": a}, sample_names=["y"])
    with pytest.raises(ValueError, match="empty"):
        io.read_calls([])
    with pytest.raises(TypeError, match="no path"):
        io.read_calls([3])
    with pytest.raises(FileNotFoundError, match="no file"):
        io.read_calls(str(folder / "*.bam"))
    with pytest.raises(FileNotFoundError, match="no such file"):
        io.read_calls([folder / "zzz.cov"])
    (folder / "sheet.csv").write_text("sample,file\nx,broken.cov\ny,zzz.cov\n")
    (folder / "broken.cov").write_text("nonsense\n")  # which nobody reads before all are found
    with pytest.raises(FileNotFoundError, match=r"zzz\.cov: no such file; check the sample sheet .*sheet\.csv"):
        io.read_calls(folder / "sheet.csv")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"context": "XX"}, ValueError),
        ({"min_coverage": 0}, ValueError),
        ({"min_mapq": -1}, ValueError),
        ({"modifications": "h"}, ValueError),
        ({"format": "vcf"}, ValueError),
        ({"n_jobs": 0}, ValueError),
        ({"n_jobs": 1.5}, TypeError),
    ],
)
def test_bad_arguments(folder, arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        io.read_calls([folder / "a.bismark.cov"], **arguments)


def test_jobs_do_not_change_the_result(folder):
    one, two = (io.read_calls(str(folder / "*.cov"), regions=REGIONS, n_jobs=n) for n in (1, 2))
    pd.testing.assert_frame_equal(one.obs, two.obs)
    pd.testing.assert_frame_equal(one.var, two.var)
    np.testing.assert_array_equal(one.layers["methylated"], two.layers["methylated"])


def test_error_in_a_thread_is_raised(folder):
    (folder / "c.bismark.cov").write_text("chr1\t1\t1\t50\t1\t-1\n")
    with pytest.raises(io.FormatError, match=r"c.bismark.cov, line 1"):
        io.read_calls(str(folder / "*.cov"), regions=REGIONS, n_jobs=2)


def test_min_coverage_after_adding_up(tmp_path):
    path = tmp_path / "r"
    path.write_text("chr1\t5\t+\t2\t0\tCG\tCGA\nchr1\t6\t-\t1\t0\tCG\tCGT\nchr1\t9\t+\t2\t0\tCG\tCGA\n")
    adata = io.read_calls([path], min_coverage=3)
    assert adata.var["start"].tolist() == [4]


def test_survives_files(folder, tmp_path):
    for regions in (REGIONS, None):
        adata = io.read_calls(str(folder / "*.cov"), regions=regions)
        adata.write_h5ad(tmp_path / "a.h5ad")
        back = anndata.read_h5ad(tmp_path / "a.h5ad")
        assert back.uns["calls"]["parameters"]["context"] == "CG"
        assert back.uns["calls"]["regions"] == ("" if regions is None else "data frame")
        assert back.uns["calls"]["file"].tolist() == adata.uns["calls"]["file"].tolist()
        assert set(back.uns["calls"]["versions"]) == {"methyl-dncb"}
        difference = back.layers["methylated"] != adata.layers["methylated"]
        assert difference.sum() == 0


def test_sheets_may_have_spaces_and_columns_of_any_kind(folder, tmp_path):
    sheet = folder / "sheet.csv"
    sheet.write_text("sample , file, mut,age,note\nA , a.bismark.cov ,True,41,\nB,b.bismark.cov,,,x\n")
    adata = io.read_calls(sheet)
    assert adata.obs_names.tolist() == ["A", "B"]
    assert adata.obs["age"].iloc[0] == 41
    adata.write_h5ad(tmp_path / "a.h5ad")
    assert anndata.read_h5ad(tmp_path / "a.h5ad").obs["mut"].iloc[0] == "True"


def test_a_sheet_with_too_many_fields_is_refused(folder):
    (folder / "sheet.csv").write_text("sample,file\nA,a.bismark.cov,\n")
    assert io.read_calls(folder / "sheet.csv").obs_names.tolist() == ["A"]
    (folder / "sheet.csv").write_text("sample,file\nA,a.bismark.cov,zzz\n")
    with pytest.raises(io.FormatError, match="cannot be read as a sample sheet"):
        io.read_calls(folder / "sheet.csv")


def test_counts_that_add_up_beyond_32_bits_are_refused(tmp_path):
    path = tmp_path / "deep.cov"
    path.write_text("chr1\t1\t1\t100\t2000000000\t0\nchr1\t1\t1\t0\t0\t2000000000\n")
    adata = io.read_calls([path])
    assert adata.layers["methylated"].sum() == adata.layers["unmethylated"].sum() == 2_000_000_000
    path.write_text("chr1\t1\t1\t100\t2000000000\t0\n" * 2)
    with pytest.raises(ValueError, match="more than a 32-bit integer"):
        io.read_calls([path])


def test_the_regions_of_genes_are_remembered(folder):
    (folder / "genes.gtf").write_text('chr1\tx\tgene\t500\t900\t.\t+\t.\tgene_id "G1";\n')
    genes = io.read_genes(folder / "genes.gtf", upstream=100)
    source = io.read_calls([folder / "a.bismark.cov"], regions=genes, chrom_style="ucsc").uns["calls"]["regions"]
    assert source == f"{folder / 'genes.gtf'} (feature=gene, upstream=100, downstream=0, anchor=body)"

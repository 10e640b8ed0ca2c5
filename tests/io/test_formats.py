"""Every format: recognised by content, every count accounted for, positions 0-based."""

from __future__ import annotations

import gzip
from functools import partial

import numpy as np
import pandas as pd
import pytest

from methyl_dncb import io
from methyl_dncb.io._bytes import read_chunks
from tests.io import call_writers as writers


def bgzip(data: bytes, size: int = 300) -> bytes:
    """Many gzip members and an empty last one, as bgzip writes them."""
    members = [gzip.compress(data[i : i + size]) for i in range(0, len(data), size)]
    return b"".join([*members, gzip.compress(b"")])


def format_of(face: str) -> str:
    return face.split()[0]


@pytest.fixture
def calls():
    return writers.make_calls(3)


@pytest.mark.parametrize("face", writers.WRITERS)
def test_recognised_and_conserved(face, calls, tmp_path):
    path = tmp_path / "a_file"  # the name must not matter
    path.write_text(writers.render(face, calls))
    adata = io.read_calls({"s": path})
    assert adata.uns["calls"]["format"].tolist() == [format_of(face)]
    assert adata.layers["methylated"].sum() == sum(call[4] for call in calls)
    assert adata.layers["unmethylated"].sum() == sum(call[5] for call in calls)


@pytest.mark.parametrize("face", writers.WRITERS)
@pytest.mark.parametrize("combine", [True, False])
def test_every_locus_in_its_place(face, combine, calls, tmp_path):
    path = tmp_path / "calls.txt"
    path.write_text(writers.render(face, calls))
    adata = io.read_calls([path], combine_strands=combine)
    is_combined = combine and face in writers.STRANDED
    expected = writers.merge_strands(calls) if is_combined else calls
    found = {
        (chrom, start): (m, u)
        for chrom, start, m, u in zip(
            adata.var["chrom"],
            adata.var["start"],
            adata.layers["methylated"].toarray()[0],
            adata.layers["unmethylated"].toarray()[0],
            strict=True,
        )
    }
    assert found == {(call[0], call[1]): call[4:] for call in expected}
    assert set(adata.var["end"] - adata.var["start"]) == {2 if is_combined else 1}


@pytest.mark.parametrize("face", writers.WRITERS)
def test_regions_sum_the_loci_inside(face, calls, tmp_path):
    path = tmp_path / "calls.txt"
    path.write_text(writers.render(face, calls))
    rng = np.random.default_rng(1)
    start = rng.integers(0, 2500, 40)
    regions = pd.DataFrame(
        {"chrom": rng.choice(["chr1", "chr2"], 40), "start": start, "end": start + rng.integers(1, 900, 40)}
    )
    adata = io.read_calls([path], regions=regions)
    loci = writers.merge_strands(calls) if face in writers.STRANDED else calls
    inside = [
        [call for call in loci if call[0] == region.chrom and region.start <= call[1] < region.end]
        for region in regions.itertuples()
    ]
    for layer, column in (("methylated", 4), ("unmethylated", 5)):
        expected = [sum(call[column] for call in members) for members in inside]
        assert adata.layers[layer][0].tolist() == expected
        assert adata.layers[layer].dtype == np.int32
    assert adata.var["n_loci"].tolist() == [len(members) for members in inside]
    in_any = {call[:2] for members in inside for call in members}
    assert adata.obs["share_in_regions"].item() == pytest.approx(len(in_any) / len(loci))


@pytest.mark.parametrize("compress", [gzip.compress, bgzip, lambda data: gzip.compress(data) + b"\0" * 20])
def test_compressed_alike(compress, calls, tmp_path):
    text = writers.render("bismark_cov", calls).encode()
    (tmp_path / "plain.cov").write_bytes(text)
    (tmp_path / "packed.cov").write_bytes(compress(text))
    adata = io.read_calls(tmp_path / "*.cov")
    assert adata.n_obs == 2
    for layer in adata.layers.values():
        assert (layer[0] != layer[1]).nnz == 0


@pytest.mark.parametrize("ending", ["\r\n", "\n\n"])
def test_line_ends(ending, calls, tmp_path):
    text = writers.render("bismark_report", calls)
    path = tmp_path / "calls"
    path.write_bytes((text.replace("\n", ending) if ending == "\r\n" else text + "\n\n").encode())
    assert io.read_calls([path]).layers["methylated"].sum() == sum(call[4] for call in calls)


def test_shuffled_rows_and_many_chunks(calls, tmp_path, monkeypatch):
    monkeypatch.setattr("methyl_dncb.io._bytes.READ_SIZE", 100)
    monkeypatch.setattr("methyl_dncb.io._table.read_chunks", partial(read_chunks, size=500))
    sorted_path, shuffled_path = tmp_path / "sorted", tmp_path / "shuffled"
    sorted_path.write_text(writers.render("methylkit", calls))
    order = np.random.default_rng(0).permutation(len(calls))
    shuffled_path.write_text(writers.render("methylkit", [calls[i] for i in order]))
    adata = io.read_calls([sorted_path, shuffled_path])
    for layer in adata.layers.values():
        assert (layer[0] != layer[1]).nnz == 0
    regions = pd.DataFrame({"chrom": "chr1", "start": range(0, 2000, 50), "end": range(80, 2080, 50)})
    over_regions = io.read_calls([sorted_path, shuffled_path], regions=regions, chrom_style="ucsc")
    for layer in over_regions.layers.values():
        np.testing.assert_array_equal(layer[0], layer[1])
    assert over_regions.obs["n_loci"].nunique() == 1


def test_merged_formats(calls, tmp_path):
    loci = writers.merge_strands(calls)
    (tmp_path / "bismark").write_text("".join(writers.merged_row(call) + "\n" for call in loci))
    (tmp_path / "biscuit").write_text("".join(writers.merged_biscuit_row(call) + "\n" for call in loci))
    (tmp_path / "report").write_text(writers.render("bismark_report", calls))
    bismark = io.read_calls([tmp_path / "bismark"], format="bismark_merged_cov")
    biscuit = io.read_calls([tmp_path / "biscuit"])
    report = io.read_calls([tmp_path / "report"])
    assert biscuit.uns["calls"]["format"].tolist() == ["biscuit_merged"]
    pd.testing.assert_frame_equal(bismark.var, report.var)
    pd.testing.assert_frame_equal(biscuit.var, report.var)
    assert (bismark.layers["methylated"] != report.layers["methylated"]).nnz == 0
    assert (biscuit.layers["unmethylated"] != report.layers["unmethylated"]).nnz == 0


def test_contexts_and_conversion(tmp_path):
    calls = [("chr1", 10, "+", "CG", 3, 1), ("chr1", 20, "+", "CHG", 0, 8), ("chr1", 30, "-", "CHH", 1, 11)]
    for face in ("bismark_report", "allc", "cgmap"):
        path = tmp_path / face.replace("_", "")
        path.write_text(writers.render(face, calls))
        by_context = {c: io.read_calls([path], context=c) for c in ("CG", "CHG", "CHH")}
        assert [by_context[c].layers["methylated"].sum() for c in ("CG", "CHG", "CHH")] == [3, 0, 1]
        assert [by_context[c].layers["unmethylated"].sum() for c in ("CG", "CHG", "CHH")] == [1, 8, 11]
        assert by_context["CHH"].var["start"].tolist() == [30]  # only CpGs are symmetric
        assert by_context["CHH"].obs["conversion_rate"].item() == pytest.approx(19 / 20)


def test_other_contexts_are_not_paired(tmp_path):
    path = tmp_path / "report"
    path.write_text("chr1\t1\t-\t0\t3\tCHH\tCTA\nchr1\t9\t-\t2\t0\tCG\tCGA\n")
    adata = io.read_calls([path])
    assert adata.var["start"].tolist() == [7]


def test_zero_coverage_rows_are_no_loci(tmp_path):
    path = tmp_path / "report"
    path.write_text("chr1\t5\t+\t0\t0\tCG\tCGA\nchr1\t9\t+\t2\t0\tCG\tCGA\n")
    adata = io.read_calls([path])
    assert adata.obs["n_loci"].tolist() == [1]
    assert adata.obs["mean_coverage"].tolist() == [2.0]


def test_crc_is_checked(calls, tmp_path):
    packed = bytearray(gzip.compress(writers.render("allc", calls).encode()))
    packed[-6] ^= 0xFF
    (tmp_path / "bad.gz").write_bytes(packed)
    with pytest.raises(io.FormatError, match="damaged"):
        io.read_calls([tmp_path / "bad.gz"])


class TestModkit:
    """5mC and 5hmC rows of one site."""

    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "pileup.bed"
        rows = [
            writers.modkit(("chr1", 10, ".", "CG", 6, 4), "m", other=1),
            writers.modkit(("chr1", 10, ".", "CG", 1, 9), "h", other=6),
            writers.modkit(("chr1", 10, ".", "CG", 5, 5), "a"),
        ]
        path.write_text("\n".join(rows) + "\n")
        return path

    @pytest.mark.parametrize(("modifications", "expected"), [("m", (6, 4)), ("m+h", (7, 3))])
    def test_what_counts(self, path, modifications, expected):
        adata = io.read_calls([path], modifications=modifications)
        assert (adata.layers["methylated"].sum(), adata.layers["unmethylated"].sum()) == expected
        assert adata.uns["calls"]["modifications"].tolist() == [modifications]
        assert adata.uns["calls"]["parameters"]["modifications"] == modifications

    def test_combined_calls_say_so(self, tmp_path):
        path = tmp_path / "combined.bed"
        path.write_text(writers.modkit(("chr1", 10, ".", "CG", 6, 4), "C") + "\n")
        with pytest.warns(UserWarning, match="combined"):
            adata = io.read_calls([path])
        assert adata.uns["calls"]["modifications"].tolist() == ["m+h"]

    def test_motifs(self, tmp_path):
        path = tmp_path / "motifs.bed"
        rows = [
            writers.modkit(("chr1", 10, "+", "CG", 6, 4), "m,CG,0"),
            writers.modkit(("chr1", 20, "+", "CHH", 1, 9), "m,CHH,0"),
        ]
        path.write_text("\n".join(rows) + "\n")
        assert io.read_calls([path]).layers["methylated"].sum() == 6
        assert io.read_calls([path], context="CHH").layers["methylated"].sum() == 1

    def test_without_5mc(self, tmp_path):
        path = tmp_path / "a.bed"
        path.write_text(writers.modkit(("chr1", 10, "+", "CG", 6, 4), "a") + "\n")
        with pytest.raises(io.FormatError, match="modification codes are a"):
            io.read_calls([path])

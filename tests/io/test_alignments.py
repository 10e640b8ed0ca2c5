"""Bismark BAM and SAM files, written by hand and read by XM tags."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

from methyl_dncb import io

pysam = pytest.importorskip("pysam")

PAIRED, MAPPED_PAIR, READ1, READ2 = 0x1, 0x2, 0x40, 0x80
UNMAPPED, SECONDARY, QCFAIL, DUPLICATE, SUPPLEMENTARY = 0x4, 0x100, 0x200, 0x400, 0x800


def record(header, name, start, xm, *, flag=0, xg="CT", mapq=40, cigar=None):
    read = pysam.AlignedSegment(header)
    read.query_name, read.flag, read.mapping_quality = name, flag, mapq
    read.reference_id, read.reference_start = 0, start
    read.query_sequence = "T" * len(xm)
    read.cigarstring = cigar or f"{len(xm)}M"
    if flag & PAIRED:
        read.next_reference_id, read.next_reference_start = 0, start
    read.set_tag("XM", xm)
    read.set_tag("XG", xg)
    return read


@pytest.fixture
def write(tmp_path):
    header = pysam.AlignmentHeader.from_references(["chr1"], [10_000])

    def write(*reads, mode="wb", name="reads.bam"):
        path = tmp_path / name
        with pysam.AlignmentFile(str(path), mode, header=header) as file:
            for arguments in reads:
                file.write(record(header, **arguments))
        return path

    return write


def counts(adata):
    return {
        start: (int(m), int(u))
        for start, m, u in zip(
            adata.var["start"],
            adata.layers["methylated"].toarray()[0],
            adata.layers["unmethylated"].toarray()[0],
            strict=True,
        )
    }


@pytest.mark.parametrize("mode", ["wb", "wh"])
def test_bam_and_sam(write, mode):
    path = write(
        {"name": "a", "start": 100, "xm": "Z..z.hH.xX"},
        {"name": "b", "start": 100, "xm": "z.........", "flag": 16, "xg": "CT"},
        mode=mode,
        name="reads.txt",  # the name must not matter
    )
    adata = io.read_calls([path])
    assert counts(adata) == {100: (1, 1), 103: (0, 1)}
    assert adata.uns["calls"]["versions"]["pysam"] == pysam.__version__
    assert adata.obs["conversion_rate"].item() == pytest.approx(0.5)
    assert counts(io.read_calls([path], context="CHG")) == {108: (0, 1), 109: (1, 0)}
    assert counts(io.read_calls([path], context="CHH")) == {105: (0, 1), 106: (1, 0)}


def test_strands(write):
    path = write(
        {"name": "plus", "start": 100, "xm": "Z..."},
        {"name": "minus", "start": 100, "xm": ".z..", "xg": "GA", "flag": 16},
    )
    assert counts(io.read_calls([path])) == {100: (1, 1)}
    assert counts(io.read_calls([path], combine_strands=False)) == {100: (1, 0), 101: (0, 1)}


def test_indels_and_clips(write):
    path = write({"name": "a", "start": 100, "xm": "ZZZZZ", "cigar": "1S2M1I1D1M"})
    # The clipped and the inserted base have no position; a deletion moves the last one.
    assert counts(io.read_calls([path])) == {100: (1, 0), 101: (1, 0), 103: (1, 0)}


@pytest.mark.parametrize("read1_first", [True, False])
def test_overlapping_mates_count_once(write, read1_first):
    mates = [
        {"name": "p", "start": 100, "xm": "Z...Z.", "flag": PAIRED | MAPPED_PAIR | READ1},
        {"name": "p", "start": 104, "xm": "z...Z.", "flag": PAIRED | MAPPED_PAIR | READ2},
    ]
    path = write(*(mates if read1_first else mates[::-1]))
    # At 104 the mates disagree: read 1 is believed, as Bismark does.
    assert counts(io.read_calls([path])) == {100: (1, 0), 104: (1, 0), 108: (1, 0)}


def test_a_lone_mate_counts(write):
    path = write({"name": "p", "start": 100, "xm": "Z", "flag": PAIRED | READ2})
    assert counts(io.read_calls([path])) == {100: (1, 0)}


@pytest.mark.parametrize("flag", [UNMAPPED, SECONDARY, QCFAIL, DUPLICATE, SUPPLEMENTARY])
def test_skipped_reads(write, flag):
    path = write({"name": "good", "start": 100, "xm": "Z"}, {"name": "bad", "start": 100, "xm": "z", "flag": flag})
    assert counts(io.read_calls([path])) == {100: (1, 0)}


def test_min_mapq(write):
    path = write({"name": "a", "start": 1, "xm": "Z", "mapq": 10}, {"name": "b", "start": 1, "xm": "z", "mapq": 30})
    assert counts(io.read_calls([path])) == {1: (1, 1)}
    assert counts(io.read_calls([path], min_mapq=20)) == {1: (0, 1)}


def test_many_batches(write, monkeypatch):
    monkeypatch.setattr("methyl_dncb.io._bam.FLUSH_READS", 3)
    monkeypatch.setattr("methyl_dncb.io._loci.COMPACT_AT", 4)
    path = write(*({"name": f"r{i}", "start": 100 + i % 5, "xm": "Z.z"} for i in range(50)))
    found = counts(io.read_calls([path]))
    assert sum(m for m, _ in found.values()) == sum(u for _, u in found.values()) == 50


class TestRefused:
    """Files that cannot be trusted."""

    def test_truncated(self, write, tmp_path):
        path = write(*({"name": f"r{i}", "start": i, "xm": "Z.zhX" * 30} for i in range(3000)))
        cut = tmp_path / "cut.bam"
        cut.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(io.FormatError, match=r"truncated|complete"):
            io.read_calls([cut])

    def test_cut_between_blocks(self, write, tmp_path):
        path = write({"name": "a", "start": 1, "xm": "Z"})
        cut = tmp_path / "cut.bam"
        cut.write_bytes(path.read_bytes()[:-28])
        with pytest.raises(io.FormatError, match=r"cut\.bam: is truncated"):
            io.read_calls([cut])

    def test_regions_of_another_assembly(self, write):
        path = write({"name": "a", "start": 1, "xm": "Z"})
        regions = pd.DataFrame({"chrom": ["chr1"] * 2, "start": [0, 10_000], "end": [9, 10_001]})
        with pytest.raises(io.FormatError, match=r"chr1:10000-10001.*assembly"):
            io.read_calls([path], regions=regions)

    def test_without_tags(self, tmp_path):
        path = tmp_path / "other.sam"
        path.write_text("@SQ\tSN:chr1\tLN:99\nr1\t0\tchr1\t5\t40\t3M\t*\t0\t0\tACG\tIII\n")
        with pytest.raises(io.FormatError, match=r"line 1.*no XM"):
            io.read_calls([path])

    def test_tag_of_another_length(self, tmp_path):
        path = tmp_path / "other.sam"
        row = "r1\t0\tchr1\t5\t40\t3M\t*\t0\t0\tACG\tIII\tXM:Z:Z\tXG:Z:CT\n"
        path.write_text("@SQ\tSN:chr1\tLN:99\n" + row)
        with pytest.raises(io.FormatError, match=r"line 1.*length"):
            io.read_calls([path])

    def test_no_calls(self, write):
        with pytest.raises(io.FormatError, match="no CG calls"):
            io.read_calls([write({"name": "a", "start": 1, "xm": "hhh"})])

    def test_other_context(self, write):
        with pytest.raises(ValueError, match="not marked in BAM"):
            io.read_calls([write({"name": "a", "start": 1, "xm": "Z"})], context="CHN")

    def test_without_pysam(self, write, monkeypatch):
        path = write({"name": "a", "start": 1, "xm": "Z"})
        monkeypatch.setitem(sys.modules, "pysam", None)
        with pytest.raises(ImportError, match=r"methyl-dncb\[bam\]"):
            io.read_calls([path])


def test_a_mate_counts_where_read_1_deletes(write):
    """Read 1 covers 100–102 and 107–111; what its mate calls between them is seen once."""
    reads = (
        {"name": "a", "start": 100, "xm": "Z.......", "cigar": "3M4D5M", "flag": PAIRED | MAPPED_PAIR | READ1},
        {"name": "a", "start": 100, "xm": "z..Z.z..", "flag": PAIRED | MAPPED_PAIR | READ2},
    )
    assert counts(io.read_calls([write(*reads)])) == {100: (1, 0), 103: (1, 0), 105: (0, 1)}

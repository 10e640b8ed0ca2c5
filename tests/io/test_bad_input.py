"""Files that cannot be trusted: one clear error that names file and line."""

from __future__ import annotations

import gzip

import pytest

from methyl_dncb import io
from tests.io import call_writers as writers

GOOD = "chr1\t100\t100\t75\t3\t1\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("chr1\t200\t200\t75\t3\n", 3, "has 5 columns where bismark_cov has 6"),
        ("chr1\t200\t200\t75\t3\t1\t9\n", 3, "has 7 columns"),
        ("chr1\ttwo\t200\t75\t3\t1\n", 3, r"column 2 \(start\) holds 'two'"),
        ("chr1\t200\t200\t75\t3\tone\n", 3, r"column 6 \(unmethylated\) holds 'one'"),
        ("chr1\t200\t200\t75\t3\t1.5\n", 3, "column 6"),
        ("chr1\t200\t200\t75\t3\t\n", 3, "column 6"),
        ("chr1\t200\t200\t75\t-3\t1\n", 3, r"methylated is negative \(-3\)"),
        ("chr1\t200\t200\t10\t3\t1\n", 3, "percent 10 contradicts the counts 3 and 1 reads"),
        ("chr1\t200\t200\tnan\t3\t1\n", 3, "percent nan contradicts"),
        ("chr1\t200\t199\t75\t3\t1\n", 3, "end 199 is before start 200"),
        ("chr1\t200\t205\t75\t3\t1\n", 3, "end 205 - start 200 is not 0"),
        ("chr1\t0\t0\t75\t3\t1\n", 3, "position 0 is before"),
        ("chr1\t99999999999\t99999999999\t75\t3\t1\n", 3, "column 2"),
        ("chr1\t3000000000\t3000000000\t75\t3\t1\n", 3, "32-bit"),
        ("chr1\t200\t200\t75\t2147483647\t2147483647\n", 3, "too large"),
        ("\nchr1\t200\t200\t75\t3\t1\n", 3, "blank"),
        ("\t200\t200\t75\t3\t1\n", 3, "column 1"),
        ("# late comment\n", 3, "has 1 columns"),
        ("ch\x00r1\t200\t200\t75\t3\t1\n", None, "binary"),
        ("ch\x07\t200\t200\t75\t3\t1\n", 3, "not printable"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_file_and_line_are_named(tmp_path, text, line, message, packed):
    path = tmp_path / "bad.cov"
    data = (GOOD + GOOD.replace("100", "110") + text + GOOD.replace("100", "300")).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    where = r"bad\.cov: .*" if line is None else rf"bad\.cov, line {line}: .*"
    with pytest.raises(io.FormatError, match=where + message) as caught:
        io.read_calls([path])
    assert caught.value.line == line
    assert caught.value.path == path


def test_far_into_a_large_file(tmp_path):
    rows = [f"chr1\t{i}\t{i}\t75\t3\t1" for i in range(1, 300_001)]
    rows[271_827] = "chr1\t271828\t271828\t75\t3\tx"
    path = tmp_path / "large.cov"
    path.write_text("\n".join(rows) + "\n")
    with pytest.raises(io.FormatError, match=r"line 271828: column 6"):
        io.read_calls([path])
    rows[271_827] = "chr1\t271828\t271828\t75\t3\t7"
    path.write_text("\n".join(rows) + "\n")
    with pytest.raises(io.FormatError, match=r"line 271828: percent 75 contradicts"):
        io.read_calls([path])


def test_header_lines_are_counted(tmp_path):
    path = tmp_path / "bad.bedGraph"
    path.write_text("track type=bedGraph\nchr1\t1\t2\t50\t1\t1\nchr1\t9\t10\t50\t1\t-1\n")
    with pytest.raises(io.FormatError, match=r"line 3: unmethylated is negative"):
        io.read_calls([path])


@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_truncated_gzip(tmp_path, share):
    data = gzip.compress(writers.render("allc", writers.make_calls(0, n=3000)).encode())
    path = tmp_path / "cut.gz"
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(io.FormatError, match=r"cut\.gz: is truncated"):
        io.read_calls([path])


def test_bgzip_cut_between_blocks(tmp_path):
    pysam = pytest.importorskip("pysam")
    plain, packed = tmp_path / "plain", tmp_path / "packed.gz"
    plain.write_text(writers.render("allc", writers.make_calls(0, n=3000)))
    pysam.tabix_compress(str(plain), str(packed))
    assert io.read_calls([packed]).obs["n_loci"].item() > 5000
    packed.write_bytes(packed.read_bytes()[:-28])
    with pytest.raises(io.FormatError, match=r"packed\.gz: is truncated"):
        io.read_calls([packed])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"track type=bedGraph\n", "a header and no calls"),
        (b"chrBase\tchr\tbase\tstrand\tcoverage\tfreqC\tfreqT\n", "a header and no calls"),
        (bytes(range(256)) * 10, "is binary"),
        (b"\x1f\x8b" + bytes(range(200)), "damaged|truncated"),
        (b"\xff\xfe\xfd\n", "line 1: is not text"),
        (b"ID_REF,GSM1,GSM2\ncg00000029,0.5,0.6\n", "line 1: fits no known format.*io.read_betas"),
        (b"one line of prose\n", "line 1: fits no known format"),
        (b"chr1\t10\t20\t0.5\t3\t1\t9\t9\t9\t9\t9\t9\n", "line 1: fits no known format"),
        (b"chr1\t200\t199\t75\t3\t1\n", "line 1: fits no known format .end 199 is before start 200"),
        (b"chr1\t910855\t910856\t100\nchr1\t910867\t910868\t50\n", "bedGraph of levels.*without counts"),
    ],
)
def test_hopeless_files(tmp_path, data, message):
    path = tmp_path / "hopeless"
    path.write_bytes(data)
    with pytest.raises(io.FormatError, match=rf"hopeless.*{message}"):
        io.read_calls([path])


def test_two_descriptions(tmp_path):
    path = tmp_path / "merged.cov"
    path.write_text("chr1\t100\t101\t75.000000\t3\t1\n")
    with pytest.raises(io.FormatError, match=r"fits bismark_merged_cov .* and bedgraph .*format="):
        io.read_calls([path])
    assert io.read_calls([path], format="bismark_merged_cov").var["start"].tolist() == [99]
    assert io.read_calls([path], format="bedgraph").var["start"].tolist() == [100]
    path.write_text("track type=bedGraph\nchr1\t100\t101\t75.000000\t3\t1\n")
    assert io.read_calls([path]).var["start"].tolist() == [100]


@pytest.mark.parametrize(
    ("face", "row", "message"),
    [
        ("allc", "chr1\t5\t+\tCGA\t5\t3\t1\n", "methylated 5 is more than coverage 3"),
        ("cgmap", "chr1\tC\t5\tCG\tCG\t0.9\t1\t10\n", "fraction 0.9 contradicts"),
        ("biscuit", "chr1\t5\t6\t1.700\t10\n", "fraction 1.7 is not between 0 and 1"),
        ("methylkit", "chr1.5\tchr1\t5\tF\t10\t130.00\t0.00\n", "percent 130 is not between 0 and 100"),
        ("modkit", None, "exceed"),
        ("bedgraph4", "chr1\t5\t-2\t3\n", "methylated is negative"),
        ("methylkit", "chr1.5\tchr1\t5\tF\t-10\t50.00\t50.00\n", "coverage is negative"),
        ("bismark_report", "chr1\t1\t-\t1\t0\tCG\tCGA\n", "begins before the chromosome"),
    ],
)
def test_what_formats_forbid(tmp_path, face, row, message):
    calls = writers.make_calls(0, n=3)
    row = row or writers.modkit(("chr1", 5, "+", "CG", 6, 4), other=5) + "\n"
    path = tmp_path / "calls"
    path.write_text(writers.render(face, calls) + row)
    n_lines = len(path.read_text().splitlines())
    with pytest.raises(io.FormatError, match=rf"line {n_lines}: .*{message}"):
        io.read_calls([path])

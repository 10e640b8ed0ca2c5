"""Mutated files: a reader parses them or raises the package's own error, never anything else."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from methyl_dncb import io
from tests.io import call_writers as writers

SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
REGIONS = pd.DataFrame({"chrom": ["chr1", "chr2"], "start": [0, 0], "end": [10_000, 10_000]})
CELLS = st.one_of(
    st.sampled_from(["", "-1", "0", "nan", "inf", "1e400", "NA", ".", "+", "99999999999", "2147483647", " 7", "٣"]),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=5),
)


@st.composite
def mutated(draw, text: str) -> bytes:
    """A file with some cells, lines or bytes changed."""
    lines = [line.split("\t") for line in text.splitlines()]
    for _ in range(draw(st.integers(1, 3))):
        row = draw(st.integers(0, len(lines) - 1))
        column = draw(st.integers(0, len(lines[row]) - 1)) if lines[row] else 0
        match draw(st.sampled_from(["cell", "drop", "insert", "line", "repeat"])):
            case "cell" if lines[row]:
                lines[row][column] = draw(CELLS)
            case "drop" if lines[row]:
                del lines[row][column]
            case "insert":
                lines[row].insert(column, draw(CELLS))
            case "line":
                lines[row] = [draw(st.text(max_size=20))]
            case _:
                lines.insert(row, list(lines[row]))
    data = bytearray("\n".join("\t".join(line) for line in lines).encode("utf-8", "surrogatepass") + b"\n")
    for _ in range(draw(st.integers(0, 2))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data)


def parse_or_refuse(read, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzzed"
        path.write_bytes(data)
        refused = None
        try:
            read(path)
        except io.FormatError as error:
            refused = error
        assert refused is None or str(path) in str(refused)


@pytest.mark.parametrize("face", writers.WRITERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_calls(face):
    text = writers.render(face, writers.make_calls(0, n=3))

    @SETTINGS
    @given(mutated(text), st.sampled_from(["auto", face.split()[0]]), st.booleans())
    def check(data, name, packed):
        data = gzip.compress(data) if packed else data
        parse_or_refuse(lambda path: io.read_calls({"s": path}, format=name), data)

    check()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_damaged_gzip():
    packed = gzip.compress(writers.render("allc", writers.make_calls(0, n=20)).encode())

    @SETTINGS
    @given(st.integers(0, len(packed)), st.integers(0, len(packed) - 1), st.integers(0, 255))
    def check(length, at, byte):
        data = bytearray(packed)
        data[at] = byte
        parse_or_refuse(lambda path: io.read_calls({"s": path}), bytes(data[:length]))

    check()


GTF = "".join(f'chr1\thand\tgene\t{i}01\t{i}90\t.\t+\t.\tgene_id "G{i}"; gene_name "N{i}";\n' for i in range(1, 4))
SAM = "@HD\tVN:1.0\n@SQ\tSN:chr1\tLN:9999\n" + "".join(
    f"r{i}\t0\tchr1\t{i}5\t40\t4M\t*\t0\t0\tACGT\tIIII\tXM:Z:Z.z.\tXG:Z:CT\n" for i in range(1, 4)
)
TABLE = "probe\ts1\ts2\ncg00000001\t0.1\t0.2\ncg00000002\t0.3\tNA\n"
SERIES = (
    '!Series_title\t"x"\n!Sample_geo_accession\t"s1"\t"s2"\n!series_matrix_table_begin\n'
    + TABLE
    + "!series_matrix_table_end\n"
)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (io.read_genes, GTF),
        (io.read_bed, "chr1\t1\t9\ta\t0\t+\nchr2\t1\t9\tb\t0\t-\n"),
        (io.read_betas, TABLE),
        (io.read_betas, SERIES),
        (lambda path: io.read_calls({"s": path}, format="bismark_bam"), SAM),
        (lambda path: io.read_calls({"s": path}), SAM),
    ],
    ids=["genes", "bed", "table", "series", "sam", "sam by content"],
)
def test_other_readers(read, text):
    if text is SAM:
        pytest.importorskip("pysam")

    @SETTINGS
    @given(mutated(text))
    def check(data):
        parse_or_refuse(read, data)

    check()

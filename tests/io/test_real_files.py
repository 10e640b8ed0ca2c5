"""An optional check over real files: METHYL_DNCB_DATA names the folder that holds `formats/`."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from methyl_dncb import io

FOLDER = Path(os.environ.get("METHYL_DNCB_DATA", "no such folder")) / "formats"
pytestmark = [
    pytest.mark.skipif(not FOLDER.is_dir(), reason="METHYL_DNCB_DATA does not name a folder with formats/"),
    pytest.mark.filterwarnings("ignore:.*combined:UserWarning"),
]


def lines(path: Path) -> list[list[str]]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    rows = [line.split("\t") for line in text.splitlines()]
    return [row for row in rows if not row[0].startswith(("track", "chrBase"))]


def implied(coverage: str, level: str, full: float) -> tuple[int, int]:
    methylated = round(int(coverage) * float(level) / full)
    return methylated, int(coverage) - methylated


#: How plain Python finds the two counts in a row.
ROWS = {
    "allc/*": lambda r: (int(r[4]), int(r[5]) - int(r[4])) if r[3].startswith("CG") else (0, 0),
    "biscuit/*": lambda r: implied(r[4], r[3], 1),
    "bismark_cov/*": lambda r: (int(r[4]), int(r[5])),
    "bismark_cytosine_report/*": lambda r: (int(r[3]), int(r[4])),
    "cgmap/*": lambda r: (int(r[6]), int(r[7]) - int(r[6])),
    "encode_bedmethyl/*": lambda r: implied(r[9], r[10], 100),
    "methyldackel_bedgraph/C1*": lambda r: (int(r[2]), int(r[3])),
    "methyldackel_bedgraph/sc*": lambda r: (int(r[4]), int(r[5])),
    "methylkit/test1*": lambda r: implied(r[4], r[5], 100),
    "modkit_bedmethyl/*": lambda r: (int(r[11]), int(r[9]) - int(r[11])),
}


@pytest.mark.parametrize("pattern", ROWS)
def test_counts_of_real_files(pattern):
    paths = sorted(FOLDER.glob(pattern))
    assert paths
    for path in paths:
        adata = io.read_calls({"s": path})
        expected = [ROWS[pattern](row) for row in lines(path)]
        assert adata.layers["methylated"].sum() == sum(m for m, _ in expected)
        assert adata.layers["unmethylated"].sum() == sum(u for _, u in expected)


def test_alignments():
    pytest.importorskip("pysam")
    adata = io.read_calls(sorted((FOLDER / "bismark_bam").glob("*.bam")))
    assert adata.n_obs == 2
    assert (adata.obs["conversion_rate"] > 0.9).all()


def test_genes_and_betas():
    genes = io.read_genes(next((FOLDER / "nfcore").glob("*.gtf.gz")))
    assert len(genes) == 272
    calls = {"a": FOLDER / "methylkit/test1.myCpG.txt", "b": next(FOLDER.glob("modkit_bedmethyl/*"))}
    adata = io.read_calls(calls, regions=genes)
    assert adata.shape == (2, 272)
    assert adata.layers["methylated"].sum() > 0

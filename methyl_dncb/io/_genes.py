"""Genes of an annotation as regions."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

import numpy as np
import pandas as pd

from .._check import whole_number
from ._bytes import read_lines
from ._errors import FormatError
from ._region_table import SOURCE, check_regions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

#: `key "value"` of GTF and `key=value` of GFF3, up to the next semicolon.
ATTRIBUTE = re.compile(r'\s*([^\s=;]+)(?:=|\s+)("[^"]*"|[^;]*)')
ID_KEYS = ("gene_id", "ID")
NAME_KEYS = ("gene_name", "Name", "gene")


def read_genes(
    path: str | PathLike[str],
    *,
    feature: str = "gene",
    upstream: int = 0,
    downstream: int = 0,
    anchor: Literal["body", "tss"] = "body",
) -> pd.DataFrame:
    r"""Read genes, promoters or other features from a GTF or GFF3 file.

    Parameters
    ----------
    path
        GTF or GFF3, plain or gzipped.
    feature
        The type to take, as the third column names it.
    upstream, downstream
        Bases to add before and after, in the gene's own direction; a region never starts before the
        chromosome does, nor ends after it where a GFF3 file gives its length. A region of which nothing is
        left is left out, with a warning.
    anchor
        What the bases are added to: the whole feature (`"body"`) or its first base (`"tss"`).

    Returns
    -------
    A data frame with `chrom`, `start`, `end` (0-based, half-open), `strand`, `gene_id`, `gene_name`, as
    `read_calls(regions=…)` takes it.

    Examples
    --------
    >>> import methyl_dncb as md, pathlib, tempfile
    >>> line = 'chr1\thand\tgene\t5001\t9000\t.\t-\t.\tgene_id "ENSG1"; gene_name "ABC1";'
    >>> gtf = pathlib.Path(tempfile.mkdtemp()) / "genes.gtf"
    >>> _ = gtf.write_text(line + chr(10))
    >>> promoters = md.io.read_genes(gtf, upstream=1500, downstream=500, anchor="tss")
    >>> promoters[["chrom", "start", "end", "gene_name"]].values.tolist()
    [['chr1', 8500, 10500, 'ABC1']]
    """
    path = Path(path)
    upstream, downstream = whole_number("upstream", upstream, least=0), whole_number("downstream", downstream, least=0)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file of genes")
    if anchor not in ("body", "tss"):
        raise ValueError(f"anchor={anchor!r} is neither 'body' nor 'tss'")
    if anchor == "tss" and upstream + downstream == 0:
        raise ValueError("anchor='tss' needs upstream or downstream bases: promoters are 1500 and 500, say")
    lengths: dict[str, int] = {}
    genes = pd.DataFrame(
        _read_features(path, feature, lengths),
        columns=["line", "chrom", "start", "end", "strand", "gene_id", "gene_name"],
    )
    if genes.empty:
        raise FormatError(f"has no {feature!r} features; say which to take with feature=", path)
    lines = genes.pop("line").to_numpy()
    check_regions(genes, path=path, lines=lines)
    size = genes["chrom"].map(lengths).to_numpy(dtype=float)
    off = genes["start"].to_numpy() >= size
    if off.any():
        row = int(np.argmax(off))
        raise FormatError(f"begins after its chromosome's end, {size[row]:.0f}", path, int(lines[row]))
    start, end = _extend(genes, upstream=upstream, downstream=downstream, anchor=anchor)
    genes["start"] = np.maximum(start, 0)
    genes["end"] = np.fmin(end, size).astype(np.int64)
    is_off = (genes["end"] <= genes["start"]).to_numpy()
    if is_off.any():
        warnings.warn(
            f"{path}: {is_off.sum()} of {len(genes)} regions lie wholly off their chromosome and are left out "
            f"(the first in line {lines[is_off][0]})",
            stacklevel=2,
        )
        genes = genes[~is_off].reset_index(drop=True)
    genes.attrs[SOURCE] = f"{path} (feature={feature}, upstream={upstream}, downstream={downstream}, anchor={anchor})"
    return genes


def _read_features(path: Path, feature: str, lengths: dict[str, int]) -> Iterator[tuple]:
    """Features of the wanted type, 0-based and half-open, with their line numbers."""
    marker = f"\t{feature}\t".encode()
    for number, raw in read_lines(path):
        if raw.startswith(b"##sequence-region"):
            _, chrom, _, length = (raw.decode(errors="replace").split() + [""] * 3)[:4]
            if length.isdigit():
                lengths[chrom] = int(length)
        elif marker in raw and not raw.startswith(b"#"):
            yield from _parse_feature(raw, feature, path, number)


def _parse_feature(raw: bytes, feature: str, path: Path, number: int) -> Iterator[tuple]:
    try:
        fields = raw.decode().split("\t")
    except UnicodeDecodeError as error:
        raise FormatError("is not text (invalid UTF-8)", path, number) from error
    if len(fields) != 9:
        raise FormatError(f"has {len(fields)} columns where GTF and GFF3 have 9", path, number)
    chrom, _, kind, start, end, _, strand, _, attributes = fields
    if kind != feature:
        return
    if not (start.isdecimal() and end.isdecimal() and len(start) < 11 and len(end) < 11):
        raise FormatError(f"start {start!r} and end {end!r} are not both positions", path, number)
    found = {key: _plain(value.strip()) for key, value in ATTRIBUTE.findall(attributes)}
    gene_id = next((found[key] for key in ID_KEYS if key in found), "")
    name = next((found[key] for key in NAME_KEYS if key in found), "")
    yield number, chrom, int(start) - 1, int(end), strand, gene_id.removeprefix("gene:"), name


def _plain(value: str) -> str:
    """A value without the quotes of GTF or the escapes of GFF3."""
    return value.strip('"') if value.startswith('"') else unquote(value)


def _extend(genes: pd.DataFrame, *, upstream: int, downstream: int, anchor: str) -> tuple[np.ndarray, np.ndarray]:
    """New starts and ends, mirrored for genes on the minus strand."""
    minus = (genes["strand"] == "-").to_numpy()
    start, end = genes["start"].to_numpy(), genes["end"].to_numpy()
    if anchor == "tss":
        # The first base itself is the first of the downstream ones.
        start, end = np.where(minus, end, start), np.where(minus, end, start)
    return start - np.where(minus, downstream, upstream), end + np.where(minus, upstream, downstream)

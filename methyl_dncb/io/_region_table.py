"""Tables of regions: BED files, data frames, and what both must satisfy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ._bytes import read_head, read_lines
from ._errors import FormatError
from ._sniff import TRACK, head_lines

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

REQUIRED = ("chrom", "start", "end")
SOURCE = "source"  # the attribute of a table that says which file its regions are from


def as_regions(regions: pd.DataFrame | str | PathLike[str]) -> pd.DataFrame:
    """Checked regions of a data frame, a BED, or the genes of a GTF or GFF3 file."""
    if not isinstance(regions, pd.DataFrame):
        path = Path(regions)
        return _read_any(path)
    missing = [name for name in REQUIRED if name not in regions.columns]
    if missing:
        raise ValueError(f"regions lack the columns {', '.join(missing)}; chrom, start (0-based) and end are needed")
    if regions.empty:
        raise ValueError("regions is empty; without regions= every locus is its own column")
    table = regions.reset_index(drop=True)
    for name in ("start", "end"):
        if not pd.api.types.is_numeric_dtype(table[name]) or (table[name] % 1 != 0).any():
            raise ValueError(f"regions[{name!r}] must hold whole numbers, without gaps")
        table[name] = table[name].astype(np.int64)
    if table["chrom"].isna().any():
        raise ValueError("regions['chrom'] has gaps; every region needs a chromosome")
    table["chrom"] = table["chrom"].astype(str)
    check_regions(table)
    return table


def check_regions(table: pd.DataFrame, *, path: Path | None = None, lines: ArrayLike | None = None) -> None:
    """Raise for the first region that cannot be one."""
    start, end = table["start"].to_numpy(), table["end"].to_numpy()
    for bad, fault in (
        (start < 0, "starts before the chromosome does; clip regions at 0"),
        (end < start, "ends before it starts"),
        (end == start, "is empty: start and end are equal, and regions are half-open"),
        (end >= 2**31, "ends beyond 2,147,483,647, where no chromosome reaches"),
    ):
        if bad.any():
            row = int(np.argmax(bad))
            place = f"{table['chrom'].iloc[row]}:{start[row]}-{end[row]}"
            line = None if lines is None else int(np.asarray(lines)[row])
            where = f"region {place} " if lines is not None else f"regions row {row}, {place}, "
            raise FormatError(where + fault, path, line)


def read_bed(path: str | PathLike[str]) -> pd.DataFrame:
    r"""Read regions from a BED file: chrom, start, end and, where given, name (column 4) and strand (6).

    Parameters
    ----------
    path
        BED with 3 or more columns, plain or gzipped.

    Returns
    -------
    A data frame with `chrom`, `start`, `end`, `strand`, `gene_name`.

    Examples
    --------
    >>> import methyl_dncb as md, pathlib, tempfile
    >>> bed = pathlib.Path(tempfile.mkdtemp()) / "islands.bed"
    >>> _ = bed.write_text("chr1\t100\t300\tisland_1" + chr(10))
    >>> md.io.read_bed(bed)[["chrom", "start", "end", "gene_name"]].values.tolist()
    [['chr1', 100, 300, 'island_1']]
    """
    path, rows, lines = Path(path), [], []
    for number, raw in read_lines(path):
        text = raw.decode(errors="replace")
        if not text.strip() or text.startswith("#") or TRACK.match(text):
            continue
        rows.append(_parse_bed(text, path, number))
        lines.append(number)
    if not rows:
        raise FormatError("holds no regions", path)
    table = pd.DataFrame(rows, columns=["chrom", "start", "end", "strand", "gene_name"])
    check_regions(table, path=path, lines=lines)
    return table


def _parse_bed(text: str, path: Path, number: int) -> tuple[str, int, int, str, str]:
    fields = text.split("\t") if "\t" in text else text.split()
    if len(fields) < 3:
        raise FormatError(f"has {len(fields)} columns where BED has at least 3", path, number)
    try:
        start, end = int(fields[1]), int(fields[2])
    except ValueError as error:
        raise FormatError(f"start {fields[1]!r} and end {fields[2]!r} are not numbers", path, number) from error
    if max(abs(start), abs(end)) >= 2**62:
        raise FormatError("has a position that no chromosome reaches", path, number)
    name = fields[3] if len(fields) > 3 else ""
    strand = fields[5] if len(fields) > 5 else "."
    return fields[0], start, end, strand, "" if name == "." else name


def _read_any(path: Path) -> pd.DataFrame:
    """Regions of a file whose kind its first line tells: BED has a number in column 2, GTF has not."""
    from ._genes import read_genes

    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file of regions")
    lines = head_lines(read_head(path), path)
    body = [line for line in lines if line.strip() and not line.startswith("#") and not TRACK.match(line)]
    if not body:
        raise FormatError("holds no regions", path)
    fields = body[0].split("\t")
    if len(fields) == 9 and not fields[1].lstrip("-").isdigit():
        return read_genes(path)
    return read_bed(path)

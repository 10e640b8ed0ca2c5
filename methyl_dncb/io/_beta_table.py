"""Tables of β with samples in rows or in columns."""

from __future__ import annotations

import csv
import gzip
import io
import re
from typing import TYPE_CHECKING

import pandas as pd

from ._bytes import read_blocks
from ._errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

#: Probe ids of Illumina's arrays, with the replicate suffix of EPICv2.
PROBE = re.compile(r"(cg\d{6,}|ch\.\w+\.\d+\w*|rs\d+|nv-\S+)(_[TB][CO]\d+)?")
SEPARATORS = ("\t", ",", ";", " ")


def read_text(path: Path) -> str:
    """All of a file as text."""
    try:
        return b"".join(read_blocks(path)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError("is not text (invalid UTF-8)", path) from error


def read_table(path: Path, sep: str | None) -> pd.DataFrame:
    """A delimited table with names in the first row and the first column."""
    text = read_text(path)
    header = text.split("\n", 1)[0]
    sep = sep or next((mark for mark in SEPARATORS if mark in header), None)
    if sep is None or "\0" in header:
        raise FormatError("is no table: its first line has one column; see sep=", path, 1)
    fields = [field.strip().strip('"') for field in header.split(sep)]
    if PROBE.fullmatch(fields[0]):
        if len(fields) != 2:
            raise FormatError(f"has no header: its first line begins with a probe ({fields[0]}); add one", path, 1)
        # Probe and β of one sample, as the GDC's files have them.
        return parse_table(f"probe{sep}{path.name.split('.')[0]}\n{text}", sep, path, first_line=0)
    return parse_table(text, sep, path, first_line=1)


def parse_table(text: str, sep: str, path: Path, *, first_line: int) -> pd.DataFrame:
    """Numbers of a table; anything else is named with its line."""
    names = _check_widths(text, sep, path, first_line)[1:]
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise FormatError(f"has two columns called {twice!r}", path, first_line)
    try:
        table = pd.read_csv(io.StringIO(text), sep=sep, index_col=0, dtype={0: str}, low_memory=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise FormatError(f"cannot be read as a table ({error})", path) from error
    if table.empty:
        raise FormatError("holds a header and no values", path)
    if table.index.hasnans:
        raise FormatError("a row has no name", path, first_line + 1 + int(table.index.isna().argmax()))
    table.index, table.columns = table.index.astype(str), table.columns.astype(str)
    for name in table.columns[[dtype.kind not in "fiu" for dtype in table.dtypes]]:
        numbers = pd.to_numeric(table[name], errors="coerce")
        wrong = (numbers.isna() & table[name].notna()).to_numpy()
        if wrong.any():
            line = first_line + 1 + int(wrong.argmax())
            raise FormatError(f"column {name!r} holds {table[name].iloc[wrong.argmax()]!r}, no number", path, line)
        table[name] = numbers
    return table


def _check_widths(text: str, sep: str, path: Path, first_line: int) -> list[str]:
    """Fields of the header, which every row must match: pandas would fill up or shift what does not."""
    lines = ((n, line.rstrip("\r\n")) for n, line in enumerate(io.StringIO(text, newline="\n"), first_line))
    header = [field.strip() for field in _fields(next(lines, (first_line, ""))[1], sep)]
    if "" in header[1:]:
        raise FormatError(f"column {header.index('', 1) + 1} has no name", path, first_line)
    width = 0
    for number, line in lines:
        if not line.strip():
            continue
        n_fields = len(_fields(line, sep)) if '"' in line else line.count(sep) + 1
        if not width:
            # R's write.table gives row names no header.
            width = len(header) + (n_fields == len(header) + 1 and not line.endswith(sep))
        if n_fields != width:
            raise FormatError(f"has {n_fields} fields where {width} are expected", path, number)
    return header


def _fields(line: str, sep: str) -> list[str]:
    return next(csv.reader([line], delimiter=sep), [""])


def read_parquet(path: Path) -> pd.DataFrame:
    """A parquet table; names in the index that pandas wrote, or in the first column of text."""
    try:
        data = path.read_bytes()
        table = pd.read_parquet(io.BytesIO(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))
    except ImportError as error:
        raise ImportError("reading parquet needs pyarrow: pip install pyarrow") from error
    except (OSError, ValueError, EOFError) as error:
        raise FormatError(f"cannot be read as parquet ({error})", path) from error
    if isinstance(table.index, pd.RangeIndex) and len(table.columns):
        table = table.set_index(table.columns[0])
    if table.empty or not all(dtype.kind in "fiu" for dtype in table.dtypes):
        raise FormatError("must hold numbers only, but for one column of names", path)
    table.index, table.columns = table.index.astype(str), table.columns.astype(str)
    return table


def orient(table: pd.DataFrame, samples: str, path: Path) -> pd.DataFrame:
    """Samples × probes, however the table lies."""
    if samples == "auto":
        in_rows, in_columns = (
            any(PROBE.fullmatch(name) for name in names[:100]) for names in (table.index, table.columns)
        )
        if in_rows == in_columns:
            raise FormatError(
                "does not show whether samples are in rows or in columns: probe ids are on "
                f"{'both sides' if in_rows else 'neither side'}; say samples='rows' or 'columns'",
                path,
            )
        samples = "columns" if in_rows else "rows"
    return table if samples == "rows" else table.T

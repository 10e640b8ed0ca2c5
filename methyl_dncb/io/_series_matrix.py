"""GEO series-matrix files: sample annotations above, a table of values below."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pandas as pd

from ._beta_table import parse_table, read_text
from ._errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

BEGIN, END = "!series_matrix_table_begin", "!series_matrix_table_end"
ACCESSION = "geo_accession"
CHARACTERISTICS = "characteristics_ch1"


def is_series_matrix(head: bytes) -> bool:
    """Whether a file begins as GEO's files do."""
    return head.lstrip(b"\xef\xbb\xbf").startswith((b"!Series_", b"!Sample_", b'"!Series_'))


def read_series_matrix(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Samples × probes, and the annotations of the samples."""
    lines = read_text(path).splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith(BEGIN)), None)
    end = next((i for i, line in enumerate(lines) if line.startswith(END)), None)
    if begin is None:
        raise FormatError(f"has no table ({BEGIN} is missing)", path)
    if end is None:
        raise FormatError(f"is truncated: {END} is missing; download it again", path, len(lines))
    if end - begin <= 2:
        raise FormatError(
            "holds annotations only: its table is empty, as where submitters put β into supplementary files; "
            "download those from the series' page and read them as a table",
            path,
            begin + 1,
        )
    table = parse_table("\n".join(lines[begin + 1 : end]), "\t", path, first_line=begin + 2)
    obs = _annotations(lines[:begin], path)
    matrix = table.T
    if ACCESSION in obs:
        obs = obs.set_index(ACCESSION, drop=False).rename_axis(None)
        missing = matrix.index.difference(obs.index)
        if len(missing):
            raise FormatError(f"sample {missing[0]!r} of the table has no annotations", path, begin + 2)
        return matrix, obs.loc[matrix.index]
    return matrix, pd.DataFrame(index=matrix.index)


def _annotations(lines: list[str], path: Path) -> pd.DataFrame:
    """Sample lines as columns; `key: value` characteristics become columns of their own."""
    columns: dict[str, list[str]] = {}
    characteristics: dict[str, list[str]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.startswith("!Sample_"):
            continue
        name, *values = next(csv.reader([line], delimiter="\t"))
        name = name.removeprefix("!Sample_")
        if columns and len(values) != len(next(iter(columns.values()))):
            raise FormatError(f"{name} has {len(values)} values, other lines have another number", path, number)
        if name == CHARACTERISTICS:
            _add_characteristics(characteristics, values)
        elif name not in columns:
            columns[name] = values
        else:
            columns[name] = [f"{old}; {new}" for old, new in zip(columns[name], values, strict=True)]
    # A characteristic may be called like a field of GEO's own.
    columns |= {f"{key}_ch1" if key in columns else key: values for key, values in characteristics.items()}
    return pd.DataFrame(columns, dtype=object)


def _add_characteristics(columns: dict[str, list[str]], values: list[str]) -> None:
    """Cells such as "tissue: liver"; samples need not have the same keys in one line."""
    for position, cell in enumerate(values):
        key, colon, value = cell.partition(":")
        if colon:
            # A nameless column, or one with AnnData's own name for the index, could not be written to a file.
            key = key.strip().replace("/", "_").removeprefix("_") or CHARACTERISTICS
            column = columns.setdefault(key, [""] * len(values))
            column[position] = value.strip()

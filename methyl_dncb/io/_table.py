"""Chunks of a text file as columns; a line that does not fit its format is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._bytes import read_chunks
from ._columns import INTEGER, LABEL, NUMBER, SKIP, count_lines, parse_lines
from ._errors import FormatError
from ._format import IGNORED, INTEGER_ROLES, NUMBER_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from ._format import CallFormat


@dataclass(frozen=True, slots=True)
class Labels:
    """A column of text with few different values, numbered in the order in which they first appear."""

    codes: NDArray[np.int32]
    names: list[str]

    def where(self, holds: Callable[[str], object]) -> NDArray[np.bool_]:
        """Rows whose label passes a test; each label is tested once."""
        return np.array([bool(holds(name)) for name in self.names], dtype=bool)[self.codes]

    def __getitem__(self, row: int) -> str:
        return self.names[self.codes[row]]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of some lines, by role."""

    first_line: int
    columns: dict[str, NDArray | Labels]

    def __getitem__(self, role: str) -> NDArray | Labels:
        return self.columns[role]

    def row(self, row: int) -> dict[str, object]:
        """The cells of one line."""
        return {role: column[row] for role, column in self.columns.items()}


def read_tables(path: Path, form: CallFormat) -> Iterator[Table]:
    """All lines of a file below its header, some at a time."""
    in_header = True
    for line, chunk in read_chunks(path):
        n_header = 0
        if in_header:
            n_header, chunk = _skip_header(chunk, form)
            in_header = not chunk
        if chunk:
            yield _parse(chunk, form, path, line + n_header)


def _skip_header(chunk: bytes, form: CallFormat) -> tuple[int, bytes]:
    """The chunk without the header lines it starts with, and their number."""
    n = 0
    while chunk:
        line, _, rest = chunk.partition(b"\n")
        if not form.header_line.match(line.decode(errors="replace")):
            break
        n, chunk = n + 1, rest
    return n, chunk


def _parse(chunk: bytes, form: CallFormat, path: Path, first_line: int) -> Table:
    kinds = np.array([_kind(role) for role in form.columns], dtype=np.int32)
    slots = np.array([np.count_nonzero(kinds[:c] == kind) for c, kind in enumerate(kinds)], dtype=np.int32)
    n_lines = count_lines(chunk)
    integers, labels = (np.empty((np.count_nonzero(kinds == k), n_lines), np.int32) for k in (INTEGER, LABEL))
    numbers = np.empty((np.count_nonzero(kinds == NUMBER), n_lines))
    spans = np.empty((*labels.shape, 2), np.int64)
    n_read, n_labels = parse_lines(chunk, kinds, slots, form.spaces, integers, numbers, labels, spans)
    if n_read < n_lines:
        raise _fault(chunk, n_read, form, path, first_line)
    arrays = {INTEGER: integers, NUMBER: numbers}
    columns = {}
    for number, (role, kind, slot) in enumerate(zip(form.columns, kinds, slots, strict=True)):
        if kind == LABEL:
            names = [chunk[begin:end].decode(errors="surrogateescape") for begin, end in spans[slot, : n_labels[slot]]]
            for code, name in enumerate(names):
                if form.cell_fault(number, name):
                    raise _fault(chunk, int(np.argmax(labels[slot] == code)), form, path, first_line)
            columns[role] = Labels(labels[slot], names)
        elif kind != SKIP:
            # A copy, so that a column that is kept does not keep the others.
            columns[role] = arrays[kind][slot].copy()
    return Table(first_line, columns)


def _kind(role: str) -> int:
    if role in INTEGER_ROLES:
        return INTEGER
    if role in NUMBER_ROLES:
        return NUMBER
    return SKIP if role == IGNORED else LABEL


def _fault(chunk: bytes, row: int, form: CallFormat, path: Path, first_line: int) -> FormatError:
    """What is wrong with a line that could not be read."""
    raw = chunk.split(b"\n", row + 1)[row].removesuffix(b"\r")
    try:
        fault = form.fault(raw.decode()) if raw else "is blank"
    except UnicodeDecodeError:
        fault = "is not text (invalid UTF-8)"
    return FormatError(fault or f"cannot be read as {form.name}", path, first_line + row)

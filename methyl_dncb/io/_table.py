"""Chunks of a text file as columns; a line that does not fit its format is named."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
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

    def __len__(self) -> int:
        return len(self.columns["start"])

    def row(self, row: int) -> dict[str, object]:
        """The cells of one line."""
        return {role: column[row] for role, column in self.columns.items()}


def read_tables(path: Path, form: CallFormat) -> Iterator[Table]:
    """All lines of a file below its header, some at a time; a table holds until the next is asked for."""
    line, in_header, parser = 1, True, Parser(form, path)
    for chunk in read_chunks(path):
        if in_header:
            n_header, chunk = _skip_header(chunk, form)
            line, in_header = line + n_header, not chunk
        if chunk:
            table = parser.parse(chunk, line)
            yield table
            line += len(table)


def _skip_header(chunk: bytes, form: CallFormat) -> tuple[int, bytes]:
    """The chunk without the header lines it starts with, and their number."""
    n = 0
    while chunk:
        line, _, rest = chunk.partition(b"\n")
        if not form.header_line.match(line.decode(errors="replace")):
            break
        n, chunk = n + 1, rest
    return n, chunk


class Parser:
    """Parses chunks into arrays that are made once: threads that ask for memory all the time wait for one another."""

    def __init__(self, form: CallFormat, path: Path):
        self.form, self.path = form, path
        self.kinds = np.array([_kind(role) for role in form.columns], dtype=np.int32)
        self.slots = np.array([np.count_nonzero(self.kinds[:c] == k) for c, k in enumerate(self.kinds)], dtype=np.int32)
        self._make_room(0)

    def _make_room(self, n_lines: int) -> None:
        n_integers, n_numbers, n_labels = (np.count_nonzero(self.kinds == kind) for kind in (INTEGER, NUMBER, LABEL))
        self.integers, self.numbers = np.empty((n_integers, n_lines), np.int32), np.empty((n_numbers, n_lines))
        self.codes, self.spans = np.empty((n_labels, n_lines), np.int32), np.empty((n_labels, n_lines, 2), np.int64)
        # A power of two, and at least half of it stays empty.
        self.buckets = np.empty((n_labels, 1 << (2 * n_lines).bit_length()), np.int32)

    def parse(self, chunk: bytes, first_line: int) -> Table:
        """Columns of a chunk."""
        n_lines = count_lines(chunk)
        if n_lines > self.codes.shape[1]:
            self._make_room(n_lines + n_lines // 4)
        room = self.integers, self.numbers, self.codes, self.spans, self.buckets
        n_read, n_labels = parse_lines(chunk, n_lines, self.kinds, self.slots, self.form.spaces, *room)
        if n_read < n_lines:
            raise _fault(chunk, n_read, self.form, self.path, first_line)
        columns = {}
        for number, (role, kind, slot) in enumerate(zip(self.form.columns, self.kinds, self.slots, strict=True)):
            if kind == LABEL:
                spans, codes = self.spans[slot, : n_labels[slot]], self.codes[slot, :n_lines]
                columns[role] = Labels(codes, [chunk[b:e].decode(errors="surrogateescape") for b, e in spans])
                wrong = columns[role].where(partial(self.form.cell_fault, number))
                if wrong.any():
                    raise _fault(chunk, int(np.argmax(wrong)), self.form, self.path, first_line)
            elif kind != SKIP:
                columns[role] = (self.integers if kind == INTEGER else self.numbers)[slot, :n_lines]
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

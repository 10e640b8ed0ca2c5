"""Chunks of a text file as columns, by polars; whatever it refuses is traced to a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._bytes import read_chunks
from ._errors import FormatError
from ._format import IGNORED, INTEGER_ROLES, NUMBER_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

    import polars as pl

    from ._format import CallFormat


def require_polars() -> ModuleType:
    """Polars, or the way to get it."""
    try:
        import polars
    except ImportError as error:
        raise ImportError("reading calls needs polars: pip install 'methyl-dncb[io]'") from error
    return polars


def read_frames(path: Path, form: CallFormat) -> Iterator[tuple[int, pl.DataFrame]]:
    """Frames with a column per role, each with the line number of its first row."""
    pl = require_polars()
    names = [f"{IGNORED}{i}" if role == IGNORED else role for i, role in enumerate(form.columns)]
    schema = {name: _dtype(pl, name) for name in names}
    # The last column is always read: its absence is how a short line shows.
    wanted = [i for i, name in enumerate(names) if not name.startswith(IGNORED) or i == len(names) - 1]
    in_header = True
    for line, chunk in read_chunks(path):
        n_header = 0
        if in_header:
            n_header, chunk = _skip_header(chunk, form)
            in_header = not chunk
        if not chunk:
            continue
        text = chunk.replace(b" ", b"\t") if form.spaces else chunk
        try:
            frame = pl.read_csv(text, has_header=False, separator="\t", quote_char=None, schema=schema, columns=wanted)
        except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
            raise _trace(chunk, form, path=path, line=line + n_header, reason=str(error)) from error
        # A short or blank line comes back as nulls.
        if any(frame.null_count().row(0)):
            raise _trace(chunk, form, path=path, line=line + n_header, reason="a value is missing")
        yield line + n_header, frame


def _dtype(pl: ModuleType, role: str) -> pl.DataType:
    if role in INTEGER_ROLES:
        return pl.Int32
    return pl.Float32 if role in NUMBER_ROLES else pl.String


def _skip_header(chunk: bytes, form: CallFormat) -> tuple[int, bytes]:
    """The chunk without the header lines it starts with, and their number."""
    n = 0
    while chunk:
        line, _, rest = chunk.partition(b"\n")
        if not form.header_line.match(line.decode(errors="replace")):
            break
        n, chunk = n + 1, rest
    return n, chunk


def _trace(chunk: bytes, form: CallFormat, *, path: Path, line: int, reason: str) -> FormatError:
    """The error for the first line of the chunk that the format does not allow."""
    for number, raw in enumerate(chunk.splitlines(), start=line):
        try:
            fault = form.fault(raw.decode()) if raw else "is blank"
        except UnicodeDecodeError:
            fault = "is not text (invalid UTF-8)"
        if fault:
            return FormatError(fault, path, number)
    return FormatError(f"cannot be parsed as {form.name}: {reason.splitlines()[0]}", path, line)

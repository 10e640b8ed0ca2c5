"""Bytes of plain, gzip and bgzip files, cut at line ends."""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING

from ._errors import FormatError

try:
    from isal import isal_zlib as zlib  # twice as fast; not made for every kind of processor
except ImportError:
    import zlib

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 31  # zlib's code for "expect a gzip header and check the trailer"
BGZIP_FIELD = b"BC"  # the extra field by which bgzip marks its members
BGZIP_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
TRUNCATED = "is truncated: its compressed data end too early; copy or make the file again"
READ_SIZE = 1 << 17
CHUNK_SIZE = 1 << 20  # large enough to hide the cost of a call, small enough to stay in cache


def read_blocks(path: Path) -> Iterator[bytes]:
    """Decompressed blocks of a file; bgzip is gzip with many members, so members are chained."""
    check_bgzip_end(path)
    with path.open("rb") as file:
        block = file.read(READ_SIZE)
        if block.startswith(GZIP_MAGIC):
            yield from _read_members(file, block, path)
            return
        while block:
            yield block
            block = file.read(READ_SIZE)


def check_bgzip_end(path: Path) -> None:
    """Refuse a bgzip file (BAM too) without its last, empty block: it was cut between two others."""
    with path.open("rb") as file:
        head = file.read(14)
        if not head.startswith(GZIP_MAGIC) or head[12:] != BGZIP_FIELD:
            return
        file.seek(-min(len(BGZIP_END), path.stat().st_size), os.SEEK_END)
        if file.read() != BGZIP_END:
            raise FormatError(f"{TRUNCATED} (bgzip's last block is missing)", path)


def _read_members(file: BinaryIO, block: bytes, path: Path) -> Iterator[bytes]:
    """Decompressed blocks of the gzip members that `block` begins and the file goes on with."""
    while block:
        member = zlib.decompressobj(GZIP_WINDOW)
        while block and not member.eof:
            try:
                yield member.decompress(block)
            except zlib.error as error:
                raise FormatError(f"is damaged: gzip data cannot be decompressed ({error})", path) from error
            block = member.unused_data if member.eof else file.read(READ_SIZE)
        if not member.eof:
            raise FormatError(TRUNCATED, path)
        block = _skip_padding(file, block)


def _skip_padding(file: BinaryIO, block: bytes) -> bytes:
    """What follows a member; zeros between members are legal."""
    while not (rest := block.lstrip(b"\0")):
        block = file.read(READ_SIZE)
        if not block:
            break
    return rest


def read_chunks(path: Path, *, size: int = CHUNK_SIZE) -> Iterator[bytes]:
    """Whole lines in chunks of about `size` bytes, each with a line end at its end."""
    held, n_held = [], 0
    for block in read_blocks(path):
        # Blank lines are left to the next chunk: at the end of a file they do not count.
        n_text = len(block.rstrip(b"\r\n")) if n_held + len(block) >= size else 0
        cut = block.rfind(b"\n", 0, n_text + 1) + 1 if n_text else 0
        if not cut:
            held.append(block)
            n_held += len(block)
            continue
        yield b"".join([*held, memoryview(block)[:cut]])
        held, n_held = [block[cut:]], len(block) - cut
    rest = b"".join(held)
    if rest.strip(b"\r\n"):
        yield rest.rstrip(b"\r\n") + b"\n"


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines without their ends, numbered from 1."""
    return enumerate(chain.from_iterable(chunk.splitlines() for chunk in read_chunks(path)), start=1)


def read_head(path: Path, *, size: int = 1 << 16) -> bytes:
    """At least the first `size` bytes, where there are that many, ending at a line end."""
    return next(read_chunks(path, size=size), b"")

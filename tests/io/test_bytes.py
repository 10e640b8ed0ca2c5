"""Chunks and lines of plain and compressed files."""

from __future__ import annotations

import gzip
import zlib

import pytest

from methyl_dncb.io import _bytes

LINES = [f"chr1\t{i}\t{'x' * (i % 7)}" for i in range(300)]


def gzip_in_two_members(data: bytes) -> bytes:
    return gzip.compress(data[:99]) + gzip.compress(data[99:])


@pytest.fixture(params=[_bytes.zlib, zlib], ids=["installed", "zlib"])
def decompressor(request, monkeypatch):
    """What decompresses: isal where there is a build of it, else zlib."""
    monkeypatch.setattr(_bytes, "zlib", request.param)


@pytest.mark.usefixtures("decompressor")
@pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "\r\n\r\n"])
@pytest.mark.parametrize("read_size", [2, 7, 64, 1 << 17])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, gzip_in_two_members])
def test_chunks_are_whole_lines(compress, read_size, end, tmp_path, monkeypatch):
    monkeypatch.setattr(_bytes, "READ_SIZE", read_size)
    path = tmp_path / "lines"
    path.write_bytes(compress(("\n".join(LINES) + end).encode()))
    for size in (1, 100, 1 << 20):
        chunks = list(_bytes.read_chunks(path, size=size))
        assert all(chunk.endswith(b"\n") for chunk in chunks)
        assert b"".join(chunks).decode().splitlines() == LINES
    assert list(_bytes.read_lines(path)) == [(i, line.encode()) for i, line in enumerate(LINES, start=1)]

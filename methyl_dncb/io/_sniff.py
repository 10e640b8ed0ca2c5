"""Which format a file has, by what stands in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ._bytes import read_head
from ._errors import FormatError
from .formats import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    from ._format import CallFormat

ALIGNMENT = "bismark_bam"
FORMAT_NAMES = (*FORMATS, ALIGNMENT)
BAM_MAGIC = b"BAM\x01"
SAM_HEADER = re.compile(r"@(HD|SQ|RG|PG|CO)\t")
SAM_RECORD = re.compile(r"\S+\t\d+\t\S+\t\d+\t\d+\t(\d+[MIDNSHPX=])+\t[^\t]+\t\d+\t-?\d+\t")
TRACK = re.compile(r"(track|browser)\b")
PROBE = re.compile(r"\b(cg\d{8}|ID_REF|Composite Element REF|!Series_)", re.IGNORECASE)
N_LINES = 1000


def sniff(path: Path) -> str:
    """The name of the format that fits the first lines, and no other does."""
    head = read_head(path)
    if head.startswith(BAM_MAGIC):
        return ALIGNMENT
    lines = head_lines(head, path)
    if lines and (SAM_HEADER.match(lines[0]) or SAM_RECORD.match(lines[0])):
        return ALIGNMENT
    has_track = any(TRACK.match(line) for line in lines)
    candidates = {name: call_format for name, call_format in FORMATS.items() if call_format.track or not has_track}
    n_header = _count_header_lines(lines, candidates)
    body = lines[n_header:]
    if not body:
        what = "holds a header and no calls" if lines else "is empty"
        raise FormatError(f"{what}; leave it out, or make it again", path)
    fitting = _narrow(candidates, body)
    if not fitting:
        raise FormatError(_no_format(body[0]), path, n_header + 1)
    if len(fitting) > 1:
        names = " and ".join(f"{name} (of {FORMATS[name].written_by})" for name in fitting)
        raise FormatError(f"fits {names}, whose positions differ; say which with format=", path)
    if fitting == ["bedgraph4"] and all(_is_interval(line) for line in body[:N_LINES]):
        raise FormatError(
            "is a bedGraph of levels (chrom, start, end, value) without counts; "
            "give the file with counts that stands beside it, such as *.bismark.cov.gz",
            path,
            n_header + 1,
        )
    return fitting[0]


def head_lines(head: bytes, path: Path) -> list[str]:
    """Lines of text, or an error for what is not text."""
    if b"\0" in head:
        raise FormatError("is binary, not text, and not BAM", path)
    try:
        return head.decode().splitlines()
    except UnicodeDecodeError as error:
        line = head.count(b"\n", 0, error.start) + 1
        raise FormatError("is not text (invalid UTF-8)", path, line) from error


def _count_header_lines(lines: list[str], candidates: dict[str, CallFormat]) -> int:
    """How many lines at the top are a header of any of the formats."""
    is_body = (n for n, line in enumerate(lines) if not any(f.header_line.match(line) for f in candidates.values()))
    return next(is_body, len(lines))


def _narrow(candidates: dict[str, CallFormat], body: list[str]) -> list[str]:
    """Formats that fit the first line, narrowed by the next; a line that fits none is left to the parser."""
    fitting = [name for name, form in candidates.items() if form.fits(body[0])]
    for line in body[1:N_LINES]:
        if len(fitting) < 2:
            break
        fitting = [name for name in fitting if FORMATS[name].fits(line)] or fitting
    return fitting


def _is_interval(line: str) -> bool:
    """Whether the second and third columns are the ends of a base: no count is that large by chance."""
    fields = line.split("\t")
    return len(fields) == 4 and fields[1].isdigit() and fields[2] == str(int(fields[1]) + 1)


def _no_format(line: str) -> str:
    n_columns = len(line.split("\t"))
    nearest = [form for form in FORMATS.values() if len(form.split(line)) == len(form.columns)]
    reasons = "; ".join(dict.fromkeys(form.fault(line) or _width_fault(form, line) for form in nearest))
    detail = f" ({reasons})" if nearest else f" ({n_columns} tab-separated columns)"
    hint = "; a table of β values is read by io.read_betas" if PROBE.search(line) else ""
    return f"fits no known format{detail}; known are {', '.join(FORMAT_NAMES)}{hint}"


def _width_fault(form: CallFormat, line: str) -> str:
    fields = dict(zip(form.columns, form.split(line), strict=True))
    if int(fields["end"]) < int(fields["start"]):
        return f"end {fields['end']} is before start {fields['start']}"
    return f"end - start is not {' or '.join(map(str, form.widths))}, as in {form.name}"

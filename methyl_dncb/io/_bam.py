"""Bismark alignments (BAM, SAM): calls from the XM tag of each read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._bytes import check_bgzip_end
from ._chroms import restyle
from ._errors import FormatError
from ._file import FileCalls
from ._loci import Counts, LociBuilder
from ._normalise import zero_based_start
from ._sniff import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

    import pysam
    from numpy.typing import NDArray

    from ._options import CallOptions

#: Letters of the XM tag: lower case unmethylated, upper case methylated.
LETTERS = {"CG": b"z", "CHG": b"x", "CHH": b"h"}
FLUSH_READS = 50_000


def _require_pysam() -> ModuleType:
    try:
        import pysam
    except ImportError as error:
        raise ImportError("reading BAM files needs pysam: pip install 'methyl-dncb[bam]'") from error
    return pysam


def read_alignments(path: Path, options: CallOptions) -> FileCalls:
    """Calls of a Bismark BAM or SAM file; overlapping mates count once, in favour of read 1."""
    pysam = _require_pysam()
    check_bgzip_end(path)  # htslib would only warn
    if options.context not in LETTERS:
        raise ValueError(f"context={options.context!r} is not marked in BAM files; they know {', '.join(LETTERS)}")
    calls, pile = FileCalls(path, ALIGNMENT, span=2 if options.pairs_strands else 1), _Pile(options)
    verbosity = pysam.set_verbosity(0)  # htslib would print what is raised here
    try:
        with pysam.AlignmentFile(str(path), check_sq=False) as file:
            names = [restyle(name, options.chrom_style) for name in file.references]
            calls.lengths = dict(zip(names, file.lengths, strict=True))
            for read, own in _count_mates_once(_usable(file, path, options)):
                pile.add(read, own, calls)
    except (OSError, ValueError, NotImplementedError) as error:  # the last for SAM without a header
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"cannot be read as BAM or SAM ({error}); is it complete?", path) from error
    finally:
        pysam.set_verbosity(verbosity)
    calls.loci = pile.build()
    if not calls.loci:
        raise FormatError(f"holds no {options.context} calls in usable reads", path)
    return calls


class _Read:
    """Calls of one read: reference positions and letters of the cytosines it covers."""

    def __init__(self, record: pysam.AlignedSegment, path: Path, number: int):
        self.name, self.is_read1 = record.query_name, record.is_read1
        self.has_mate = record.is_paired and not record.mate_is_unmapped
        self.chrom = record.reference_name
        self.blocks = record.get_blocks()  # of the reference, without what the read deletes or skips
        try:
            letters, genome = record.get_tag("XM"), record.get_tag("XG")
        except KeyError as error:
            raise FormatError("read has no XM and XG tags; only Bismark writes them", path, number) from error
        if genome not in ("CT", "GA"):
            raise FormatError(f"XG tag is {genome!r}, which is neither CT nor GA", path, number)
        self.minus = genome == "GA"
        positions = record.get_reference_positions(full_length=True)
        if not isinstance(letters, str) or len(letters) != len(positions):
            raise FormatError("XM tag and read differ in length", path, number)
        pairs = [(at, ord(letter)) for at, letter in zip(positions, letters, strict=True) if letter != "."]
        placed = np.array([pair for pair in pairs if pair[0] is not None], dtype=np.int32).reshape(-1, 2)
        self.position, self.letter = placed.T


def _usable(file: pysam.AlignmentFile, path: Path, options: CallOptions) -> Iterator[_Read]:
    """Primary alignments that passed every filter."""
    for number, record in enumerate(file, start=1):
        if record.is_unmapped or record.is_secondary or record.is_supplementary:
            continue
        if record.is_duplicate or record.is_qcfail or record.mapping_quality < options.min_mapq:
            continue
        yield _Read(record, path, number)


def _count_mates_once(reads: Iterator[_Read]) -> Iterator[tuple[_Read, NDArray[np.bool_]]]:
    """Each read with the calls that are its own; a mate waits until the other has come."""
    waiting: dict[str, _Read] = {}
    for read in reads:
        mate = waiting.pop(read.name, None) if read.has_mate else None
        if mate is None:
            if read.has_mate:
                waiting[read.name] = read
            else:
                yield read, np.ones(len(read.position), dtype=bool)
            continue
        first, second = (read, mate) if read.is_read1 else (mate, read)
        yield first, np.ones(len(first.position), dtype=bool)
        own = np.ones(len(second.position), dtype=bool)
        for begin, end in first.blocks if first.chrom == second.chrom else ():
            own &= (second.position < begin) | (second.position >= end)
        yield second, own
    for read in waiting.values():
        yield read, np.ones(len(read.position), dtype=bool)


class _Pile:
    """Calls of many reads, handed to the builder in batches."""

    def __init__(self, options: CallOptions):
        self.options, self.builder = options, LociBuilder()
        self.lower = ord(LETTERS[options.context])
        self.held: dict[str, list[tuple[NDArray, NDArray]]] = {}
        self.n_held = 0

    def add(self, read: _Read, own: NDArray[np.bool_], calls: FileCalls) -> None:
        """Take in a read's own calls."""
        lower = read.letter | 0x20
        methylated = read.letter != lower
        other = own & ((lower == ord("x")) | (lower == ord("h")))
        calls.other_context += (other & methylated).sum(), (other & ~methylated).sum()
        keep = own & (lower == self.lower)
        minus = np.full(keep.sum(), read.minus) if self.options.pairs_strands else None
        start = zero_based_start(read.position[keep], base=0, minus=minus)
        if start.size and start.min() < 0:
            raise FormatError(f"read {read.name!r}: a minus-strand CpG begins before the chromosome", calls.path)
        self.held.setdefault(read.chrom, []).append((start, methylated[keep]))
        self.n_held += 1
        if self.n_held == FLUSH_READS:
            self._flush()

    def _flush(self) -> None:
        for chrom, parts in self.held.items():
            start = np.concatenate([part[0] for part in parts])
            methylated = np.concatenate([part[1] for part in parts]).astype(np.int32)
            if len(start):
                self.builder.add(restyle(chrom, self.options.chrom_style), Counts(start, methylated, 1 - methylated))
        self.held, self.n_held = {}, 0

    def build(self) -> dict[str, Counts]:
        """Loci of all reads."""
        self._flush()
        return self.builder.build()

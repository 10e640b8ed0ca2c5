"""Loci of a sample with their counts, by chromosome, in order of position."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ._unite import unite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

INT32_MAX = np.iinfo(np.int32).max
COMPACT_AT = 1 << 25  # pending calls; BAM files give one per read and locus


@dataclass(slots=True)
class Counts:
    """Loci of one chromosome: 0-based starts, strictly ascending, and the two counts."""

    start: NDArray[np.int32]
    methylated: NDArray[np.int32]
    unmethylated: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.start)

    def covered(self, min_coverage: int) -> Counts:
        """The loci with at least so many reads."""
        # Without a sign, two counts of 32 bits add up without overflow.
        keep = self.methylated.view(np.uint32) + self.unmethylated.view(np.uint32) >= min_coverage
        if keep.all():
            return self
        return Counts(self.start[keep], self.methylated[keep], self.unmethylated[keep])


Loci = dict[str, Counts]


@dataclass(slots=True)
class LociBuilder:
    """Collects calls in any order and adds those of one locus up."""

    pending: dict[str, list[Counts]] = field(default_factory=dict)
    n_pending: int = 0
    compact_at: int = COMPACT_AT

    def add(self, chrom: str, counts: Counts) -> None:
        """Take in calls of one chromosome."""
        self.pending.setdefault(chrom, []).append(counts)
        self.n_pending += len(counts)
        if self.n_pending > self.compact_at:
            self.pending = {name: [_add_up(parts)] for name, parts in self.pending.items()}
            self.n_pending = sum(len(parts[0]) for parts in self.pending.values())
            # Where most loci are new, compacting again soon would not help.
            self.compact_at = max(COMPACT_AT, 2 * self.n_pending)

    def build(self) -> Loci:
        """The loci; the builder is empty afterwards, so that memory is freed chromosome by chromosome."""
        self.n_pending = 0
        return {name: _add_up(self.pending.pop(name)) for name in list(self.pending)}


def add_loci(samples: Iterable[Loci]) -> Loci:
    """Counts of several files of one sample, added up."""
    builder = LociBuilder()
    for loci in samples:
        for chrom, counts in loci.items():
            builder.add(chrom, counts)
    return builder.build()


def merge_starts(known: dict[str, NDArray[np.int32]], new: dict[str, NDArray[np.int32]]) -> None:
    """Add sorted positions to the sorted positions in `known`."""
    for chrom, start in new.items():
        old = known.get(chrom)
        if old is None:
            known[chrom] = start
        elif not np.array_equal(old, start):
            known[chrom] = unite(old, start)


def _add_up(parts: list[Counts]) -> Counts:
    """One record per position, in order."""
    if len(parts) == 1:
        start, methylated, unmethylated = parts[0].start, parts[0].methylated, parts[0].unmethylated
    else:
        start = np.concatenate([part.start for part in parts])
        methylated = np.concatenate([part.methylated for part in parts])
        unmethylated = np.concatenate([part.unmethylated for part in parts])
    if np.all(start[1:] > start[:-1]):
        return Counts(start, methylated, unmethylated)
    if np.any(start[1:] < start[:-1]):
        order = np.argsort(start, kind="stable")
        start, methylated, unmethylated = start[order], methylated[order], unmethylated[order]
    first = np.flatnonzero(np.r_[True, start[1:] != start[:-1]])
    return Counts(start[first], _sum_runs(methylated, first), _sum_runs(unmethylated, first))


def _sum_runs(values: NDArray[np.int32], first: NDArray[np.intp]) -> NDArray[np.int32]:
    return to_int32(np.add.reduceat(values, first, dtype=np.int64))


def to_int32(sums: NDArray[np.int64]) -> NDArray[np.int32]:
    """Sums as the layers hold them, or an error where they do not fit."""
    if sums.size and sums.max() > INT32_MAX:
        raise ValueError(f"a sum of reads ({sums.max()}) is more than a 32-bit integer can hold; use smaller regions")
    return sums.astype(np.int32)

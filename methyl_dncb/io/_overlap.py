"""Sums of counts over regions, by differences of running sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._loci import to_int32

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from ._loci import Loci


@dataclass(frozen=True, slots=True)
class _Intervals:
    """Regions of one chromosome, and the stretches they cover together."""

    rows: NDArray[np.intp]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    union_start: NDArray[np.int32]
    union_end: NDArray[np.int32]


class RegionIndex:
    """Regions ready for sums; a locus belongs to every region that its first base lies in."""

    def __init__(self, regions: pd.DataFrame):
        self.n_regions = len(regions)
        self.chroms: dict[str, _Intervals] = {}
        for chrom, rows in regions.groupby("chrom", sort=False, observed=True).indices.items():
            # Of the positions' own type, or searchsorted would convert every position.
            start = regions["start"].to_numpy(dtype=np.int32)[rows]
            end = regions["end"].to_numpy(dtype=np.int32)[rows]
            self.chroms[chrom] = _Intervals(rows, start, end, *_union(start, end))

    def off_the_end(self, lengths: dict[str, int]) -> str | None:
        """A region that begins where its chromosome has ended, as after a change of assembly."""
        for chrom, intervals in self._shared(lengths):
            off = intervals.start >= lengths[chrom]
            if off.any():
                row = int(np.argmax(off))
                return f"{chrom}:{intervals.start[row]}-{intervals.end[row]}"
        return None

    def sums(self, loci: Loci) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Methylated and unmethylated reads in each region."""
        sums = np.zeros((2, self.n_regions), dtype=np.int64)
        running = np.zeros(max(map(len, loci.values()), default=0) + 1, dtype=np.int64)
        for chrom, intervals in self._shared(loci):
            counts = loci[chrom]
            begin, end = np.searchsorted(counts.start, [intervals.start, intervals.end])
            for total, values in zip(sums, (counts.methylated, counts.unmethylated), strict=True):
                np.cumsum(values, out=running[1 : len(values) + 1])
                total[intervals.rows] = running[end] - running[begin]
        return to_int32(sums[0]), to_int32(sums[1])

    def n_inside(self, loci: Loci) -> int:
        """How many loci lie in at least one region."""
        n = 0
        for chrom, intervals in self._shared(loci):
            bounds = [intervals.union_start, intervals.union_end]
            begin, end = np.searchsorted(loci[chrom].start, bounds)
            n += int((end - begin).sum())
        return n

    def n_loci(self, starts: dict[str, NDArray[np.int32]]) -> NDArray[np.int32]:
        """How many of the positions lie in each region."""
        n_loci = np.zeros(self.n_regions, dtype=np.int32)
        for chrom, intervals in self._shared(starts):
            begin, end = np.searchsorted(starts[chrom], [intervals.start, intervals.end])
            n_loci[intervals.rows] = end - begin
        return n_loci

    def _shared(self, chroms: dict) -> list[tuple[str, _Intervals]]:
        return [(chrom, intervals) for chrom, intervals in self.chroms.items() if chrom in chroms]


def _union(start: NDArray[np.int32], end: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Disjoint stretches that cover what the intervals cover."""
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    is_new = np.r_[True, start[1:] > reach[:-1]]
    return start[is_new], reach[np.r_[is_new[1:], True]]

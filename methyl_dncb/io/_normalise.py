"""Rows of any format as checked counts at 0-based positions: the one place that knows about bases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._errors import FormatError
from ._format import Counts as Given
from ._loci import Counts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from ._format import CallFormat
    from ._table import Table

MINUS = ("-", "R", "G")  # strand, methylKit's strand, CGmap's base
COUNT_ROLES = ("methylated", "unmethylated", "coverage", "other_modified")
TOLERANCE = 0.01  # of the level: formats round to whole percents, some down


class Rows:
    """Rows of a table that passed the checks, with arrays of their counts."""

    def __init__(self, table: Table, form: CallFormat, path: Path):
        self.table, self.form, self.path = table, form, path
        #: Bases a locus spans at most; an end in a 1-based file is inclusive.
        self.span = 1
        self._check_positions()
        self.methylated, self.unmethylated = self._counts()

    def refuse(self, bad: NDArray[np.bool_], message: str) -> None:
        """Raise for the first bad row; roles in braces are filled in."""
        if bad.any():
            row = int(np.argmax(bad))
            cells = self.table.row(row).items()
            values = {role: f"{cell:g}" if isinstance(cell, float) else cell for role, cell in cells}
            raise FormatError(message.format(**values), self.path, self.table.first_line + row)

    def _check_positions(self) -> None:
        start = self.table["start"]
        self.refuse(
            start < self.form.base,
            f"position {{start}} is before the chromosome's first, {self.form.base} in {self.form.name}",
        )
        if "end" in self.form.columns:
            width = self.table["end"].astype(np.int64) - start
            self.refuse(width < 0, "end {end} is before start {start}")
            allowed = " or ".join(map(str, self.form.widths))
            self.refuse(
                ~np.isin(width, self.form.widths),
                f"end {{end}} - start {{start}} is not {allowed}, as in {self.form.name}",
            )
            self.span = int(width.max()) + self.form.base

    def _counts(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Methylated and unmethylated, however the format gives them."""
        form = self.form
        for role in COUNT_ROLES:
            if role in form.columns:
                self.refuse(self.table[role] < 0, f"{role} is negative ({{{role}}})")
        if form.counts is Given.IMPLIED:
            return self._implied_counts()
        methylated = self.table["methylated"]
        if form.counts is Given.BOTH:
            unmethylated = self.table["unmethylated"]
            total = methylated.astype(np.int64) + unmethylated
            self.refuse(total >= 2**31, "methylated {methylated} + unmethylated {unmethylated} is too large")
        else:
            total = self.table["coverage"]
            self.refuse(methylated > total, "methylated {methylated} is more than coverage {coverage}")
            unmethylated = total - methylated
        if form.level is not None:
            role, full = form.level
            # A locus without reads has no level; some writers put 0, some nan.
            level = self.table[role]
            with np.errstate(invalid="ignore"):
                off = np.abs(level * total - full * methylated) > TOLERANCE * full * total + 1e-4
            off |= np.isnan(level) & (total > 0)
            others = "{methylated} and " + (
                "{unmethylated} reads" if form.counts is Given.BOTH else "coverage {coverage}"
            )
            self.refuse(off, f"{role} {{{role}}} contradicts the counts {others}")
        return methylated, unmethylated

    def _implied_counts(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        role, full = self.form.level
        level, coverage = self.table[role].astype(np.float64) / full, self.table["coverage"]
        outside = ~((level >= 0) & (level <= 1)) & (coverage > 0)
        self.refuse(outside, f"{role} {{{role}}} is not between 0 and {full:g}")
        methylated = np.rint(np.where(coverage > 0, level, 0) * coverage).astype(np.int32)
        return methylated, coverage - methylated

    def minus_strand(self) -> NDArray[np.bool_] | None:
        """Which rows are of the minus strand; None where the format does not say."""
        role = next((role for role in ("strand", "base") if role in self.form.columns), None)
        return None if role is None else self.table[role].where(MINUS.__contains__)

    def by_chromosome(self, *, pair_strands: bool, keep: NDArray[np.bool_] | None) -> Iterator[tuple[str, Counts]]:
        """The kept rows as counts at 0-based positions, a chromosome at a time."""
        start = zero_based_start(
            self.table["start"], base=self.form.base, minus=self.minus_strand() if pair_strands else None
        )
        off = start < 0
        # Other contexts are not paired; their rows are still here when a file holds them all.
        self.refuse(off if keep is None else off & keep, "a minus-strand CpG at {start} begins before the chromosome")
        chrom, arrays = self.table["chrom"].codes, (start, self.methylated, self.unmethylated)
        if keep is not None and not keep.all():
            chrom, arrays = chrom[keep], tuple(array[keep] for array in arrays)
        if np.any(chrom[1:] < chrom[:-1]):
            order = np.argsort(chrom, kind="stable")
            chrom, arrays = chrom[order], tuple(array[order] for array in arrays)
        names = self.table["chrom"].names
        bounds = np.searchsorted(chrom, np.arange(len(names) + 1, dtype=chrom.dtype))
        for name, begin, end in zip(names, bounds[:-1], bounds[1:], strict=True):
            if begin < end:
                yield name, Counts(*(array[begin:end].copy() for array in arrays))


def zero_based_start(
    start: NDArray[np.int32], *, base: int, minus: NDArray[np.bool_] | None = None
) -> NDArray[np.int32]:
    """0-based start of loci; with `minus`, of the CpG whose second base is the minus strand's cytosine."""
    zero_based = start if base == 0 else start - np.int32(base)
    return zero_based if minus is None else zero_based - minus.astype(np.int32)

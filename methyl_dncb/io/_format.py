"""What a format of methylation calls is: its columns, its first position, how it gives counts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

IGNORED = "-"
BASES = "ACGTRYSWKMBDHVN"  # genomes hold a few ambiguous ones, too
INTEGER = r"-?[0-9]{1,10}"
NUMBER = r"-?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|nan|NaN)"

#: What a column may hold, by the role the column plays.
ROLES: dict[str, str] = {
    "chrom": r"\S+",
    "start": INTEGER,
    "end": INTEGER,
    "strand": r"[-+.*FR]",
    "base": r"[CG]",
    "context": rf"C[{BASES}]{{0,2}}|--",
    "code": r"\S+",
    "methylated": INTEGER,
    "unmethylated": INTEGER,
    "coverage": INTEGER,
    "other_modified": INTEGER,
    "percent": NUMBER,
    "fraction": NUMBER,
    IGNORED: r".*",
}
INTEGER_ROLES = frozenset(role for role, pattern in ROLES.items() if pattern == INTEGER)
NUMBER_ROLES = frozenset(role for role, pattern in ROLES.items() if pattern == NUMBER)


class Counts(Enum):
    """How a format gives the two counts of a locus."""

    BOTH = "methylated and unmethylated"
    OF_COVERAGE = "methylated and coverage"
    IMPLIED = "coverage and level, methylated = round(coverage × level)"


@dataclass(frozen=True, kw_only=True)
class CallFormat:
    """One text format of methylation calls; a locus a line, columns separated by tabs."""

    name: str
    written_by: str
    columns: tuple[str, ...]
    """The role of each column, a key of `ROLES`."""
    base: Literal[0, 1]
    """Number of a chromosome's first position."""
    widths: tuple[int, ...] = (1,)
    """What `end - start` may be, as the file writes them."""
    header: str = r"#"
    """Regular expression of lines to skip at the top."""
    track: bool = False
    """Whether a `track` or `browser` line may stand at the top."""
    spaces: bool = False
    """Whether some columns may be separated by spaces."""
    patterns: Mapping[str, str] = field(default_factory=dict)
    """Narrower patterns than the roles', where that tells formats apart."""

    @cached_property
    def counts(self) -> Counts:
        """How the two counts are given, which the columns tell."""
        if "unmethylated" in self.columns:
            return Counts.BOTH
        return Counts.OF_COVERAGE if "methylated" in self.columns else Counts.IMPLIED

    @cached_property
    def level(self) -> tuple[str, float] | None:
        """The column with the methylation level and the value that means fully methylated."""
        for role, full in (("percent", 100.0), ("fraction", 1.0)):
            if role in self.columns:
                return role, full
        return None

    @cached_property
    def header_line(self) -> re.Pattern[str]:
        """Pattern of the lines to skip at the top."""
        return re.compile(f"{self.header}|(track|browser)\\b" if self.track else self.header)

    @cached_property
    def column_patterns(self) -> tuple[re.Pattern[str], ...]:
        """What each column must match in full."""
        return tuple(re.compile(self.patterns.get(role, ROLES[role])) for role in self.columns)

    def split(self, line: str) -> list[str]:
        """Fields of a line."""
        return (line.replace(" ", "\t") if self.spaces else line).split("\t")

    def fault(self, line: str) -> str | None:
        """What is wrong with a line, or None."""
        fields = self.split(line)
        if len(fields) != len(self.columns):
            return f"has {len(fields)} columns where {self.name} has {len(self.columns)}"
        return next(filter(None, map(self.cell_fault, range(len(fields)), fields)), None)

    def cell_fault(self, column: int, text: str) -> str | None:
        """What is wrong with the text of a column (counted from 0), or None."""
        role = self.columns[column]
        what = f"column {column + 1} ({role}) holds"
        if role != IGNORED and not text.isprintable():
            return f"{what} {text!r}, which is not printable"
        if not self.column_patterns[column].fullmatch(text):
            return f"{what} {text!r}, which {self.name} does not allow"
        if role in INTEGER_ROLES and abs(int(text)) >= 2**31:
            return f"{what} {text}, more than a 32-bit integer can hold"
        return None

    def fits(self, line: str) -> bool:
        """Whether a line can be of this format, its width included."""
        if self.fault(line) is not None:
            return False
        if "end" not in self.columns:
            return True
        fields = dict(zip(self.columns, self.split(line), strict=True))
        return int(fields["end"]) - int(fields["start"]) in self.widths

"""What the caller wants of the calls in a file."""

from __future__ import annotations

from dataclasses import dataclass

from .._check import whole_number
from ._format import BASES

#: Letters of a sequence context, each as the bases and codes it stands for.
IUPAC = {"H": "[ACTHYWM]", "N": f"[{BASES}]"}
MODIFICATIONS = ("m", "m+h")
CHROM_STYLES = ("ucsc", "ensembl")


@dataclass(frozen=True, kw_only=True, slots=True)
class CallOptions:
    """Checked once, at the door; the readers trust them."""

    context: str = "CG"
    combine_strands: bool = True
    min_coverage: int = 1
    min_mapq: int = 0
    modifications: str = "m"
    chrom_style: str | None = None

    def __post_init__(self) -> None:
        if not self.context or set(self.context) - set("ACGTHN"):
            raise ValueError(f"context={self.context!r} is not made of A, C, G, T, H, N; try CG, CHG or CHH")
        whole_number("min_coverage", self.min_coverage, least=1)
        whole_number("min_mapq", self.min_mapq, least=0)
        if self.modifications not in MODIFICATIONS:
            raise ValueError(f"modifications={self.modifications!r} is neither 'm' (5mC) nor 'm+h' (5mC + 5hmC)")
        if self.chrom_style is not None and self.chrom_style not in CHROM_STYLES:
            raise ValueError(f"chrom_style={self.chrom_style!r} is none of {CHROM_STYLES}; None leaves names alone")

    @property
    def pairs_strands(self) -> bool:
        """Whether the two cytosines of a CpG become one locus; other contexts are not symmetric."""
        return self.combine_strands and self.context == "CG"

    @property
    def context_pattern(self) -> str:
        """Regular expression that finds the context in a context, a trinucleotide or a class such as CHG."""
        return "^" + "".join(IUPAC.get(letter, letter) for letter in self.context)

"""Biscuit BED: level and coverage, counts implied."""

from .._format import CallFormat

BISCUIT = CallFormat(
    name="biscuit",
    written_by="biscuit vcf2bed",
    columns=("chrom", "start", "end", "fraction", "coverage"),
    base=0,
    widths=(1, 2),
    track=True,
)
MERGED = CallFormat(
    name="biscuit_merged",
    written_by="biscuit mergecg",
    columns=(*BISCUIT.columns, "-"),
    base=0,
    widths=(2,),
    track=True,
    patterns={"-": r"C:\S*"},
)
FORMATS = (BISCUIT, MERGED)

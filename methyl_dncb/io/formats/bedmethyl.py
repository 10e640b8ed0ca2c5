"""BedMethyl: nine columns of BED, then counts in one of three forms."""

from .._format import CallFormat

BED9 = ("chrom", "start", "end", "-", "-", "strand", "-", "-", "-")

ENCODE = CallFormat(
    name="bedmethyl",
    written_by="ENCODE WGBS pipeline (9+2 columns)",
    columns=(*BED9, "coverage", "percent"),
    base=0,
    track=True,
)
GEMBS = CallFormat(
    name="bedmethyl_gembs",
    written_by="gemBS, later ENCODE files (9+5 columns)",
    columns=(*BED9, "coverage", "percent", "-", "-", "-"),
    base=0,
    track=True,
)
# Of the counts after the percentage: modified, canonical, other modification; then deleted, failed,
# different and not called, which are no evidence either way. Coverage is the sum of the first three.
MODKIT = CallFormat(
    name="modkit",
    written_by="modkit pileup (18 columns)",
    columns=(
        *("chrom", "start", "end", "code", "-", "strand", "-", "-", "-"),
        *("coverage", "percent", "methylated", "-", "other_modified", "-", "-", "-", "-"),
    ),
    base=0,
    spaces=True,
    header=r"#|chrom\t",
)
FORMATS = (ENCODE, GEMBS, MODKIT)

"""Text files of methylKit: coverage and the percentages of C and T."""

from .._format import CallFormat

METHYLKIT = CallFormat(
    name="methylkit",
    written_by="methylKit, MethylDackel extract --methylKit",
    columns=("-", "chrom", "start", "strand", "coverage", "percent", "-"),
    base=1,
    header=r"#|chrBase\t",
    patterns={"strand": r"[-+FR]"},
)
FORMATS = (METHYLKIT,)

"""Allc files of methylpy and ALLCools."""

from .._format import CallFormat

ALLC = CallFormat(
    name="allc",
    written_by="methylpy, ALLCools",
    columns=("chrom", "start", "strand", "context", "methylated", "coverage", "-"),
    base=1,
    header=r"#|chr\tpos\t",
    patterns={"strand": r"[-+]", "-": r"-?\d+(\.\d+)?"},
)
FORMATS = (ALLC,)

"""CGmap files of BS-Seeker2 and CGmapTools; the base read, C or G, tells the strand."""

from .._format import CallFormat

CGMAP = CallFormat(
    name="cgmap",
    written_by="BS-Seeker2, BS-Seeker3, CGmapTools",
    columns=("chrom", "base", "start", "context", "-", "fraction", "methylated", "coverage"),
    base=1,
)
FORMATS = (CGMAP,)

"""BedGraph with counts: MethylDackel's, and the four columns that methrix reads."""

from .._format import CallFormat

METHYLDACKEL = CallFormat(
    name="bedgraph",
    written_by="MethylDackel extract (with or without --mergeContext)",
    columns=("chrom", "start", "end", "percent", "methylated", "unmethylated"),
    base=0,
    widths=(1, 2),
    track=True,
)
# Positions are 1-based here, whatever the file's name suggests.
FOUR_COLUMNS = CallFormat(
    name="bedgraph4",
    written_by="pipelines that prepare files for methrix",
    columns=("chrom", "start", "methylated", "unmethylated"),
    base=1,
    track=True,
)
FORMATS = (METHYLDACKEL, FOUR_COLUMNS)

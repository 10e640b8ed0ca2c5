"""Bismark: coverage files and cytosine (CpG, CX) reports."""

from .._format import CallFormat

COVERAGE = CallFormat(
    name="bismark_cov",
    written_by="bismark_methylation_extractor --bedGraph, nf-core/methylseq",
    columns=("chrom", "start", "end", "percent", "methylated", "unmethylated"),
    base=1,
    widths=(0,),
)
# 1-based like the coverage file, but spanning both cytosines of a CpG; percent always has six decimals.
MERGED_COVERAGE = CallFormat(
    name="bismark_merged_cov",
    written_by="coverage2cytosine --merge_CpG",
    columns=COVERAGE.columns,
    base=1,
    widths=(1,),
    patterns={"percent": r"\d+\.\d{6}"},
)
REPORT = CallFormat(
    name="bismark_report",
    written_by="coverage2cytosine, bismark_methylation_extractor --cytosine_report",
    columns=("chrom", "start", "strand", "methylated", "unmethylated", "context", "-"),
    base=1,
    patterns={"strand": r"[-+]", "-": r"[ACGTN]{1,3}"},
)
FORMATS = (COVERAGE, MERGED_COVERAGE, REPORT)

"""Every string that is written into an AnnData, once."""

from __future__ import annotations

from dataclasses import dataclass

METHYLATED = "methylated"
UNMETHYLATED = "unmethylated"
HELD_OUT = "held_out"
HIGHLY_VARIABLE = "highly_variable"
CALLS = "calls"
N_LOCI = "n_loci"
MEAN_COVERAGE = "mean_coverage"
SHARE_IN_REGIONS = "share_in_regions"
CONVERSION_RATE = "conversion_rate"
N_PROBES = "n_probes"
FILTERED = "filtered"
N_OBSERVED = "n_observed"
MISSING_SHARE = "missing_share"
MEAN_BETA = "mean_beta"
VARIANCE_BETA = "variance_beta"
TOTAL_READS = "total_reads"
LOG1P_TOTAL_READS = "log1p_total_reads"
MEAN_READS = "mean_reads"
HIGHLY_VARIABLE_RANK = "highly_variable_rank"


@dataclass(frozen=True, slots=True)
class FactorKeys:
    """Where a factorisation keeps its results; `stem` is the model's name or the user's `key_added`."""

    stem: str

    @property
    def embedding(self) -> str:
        """`obsm`: ρ, samples × components."""
        return f"X_{self.stem}"

    @property
    def theta1(self) -> str:
        """`obsm`: posterior mean of the methylated loadings."""
        return f"{self.stem}_theta1"

    @property
    def theta2(self) -> str:
        """`obsm`: posterior mean of the unmethylated loadings."""
        return f"{self.stem}_theta2"

    @property
    def phi(self) -> str:
        """`varm`: posterior mean of the gene weights."""
        return f"{self.stem}_phi"

    @property
    def log_likelihood(self) -> str:
        """`layers`: log likelihood of entries under each draw."""
        return f"{self.stem}_log_likelihood"

    def draws(self, key: str) -> str:
        """`obsm`/`varm`: the draws behind `key`, with draws on the last axis."""
        return f"{key}_draws"

    @property
    def uns(self) -> str:
        """`uns`: parameters, traces and diagnostics."""
        return self.stem

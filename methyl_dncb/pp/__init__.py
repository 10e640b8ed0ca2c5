"""Prepare β values: smoothing, filtering, gene selection, held-out entries."""

from ._beta import beta
from ._collapse_probes import collapse_probes
from ._filter_regions import filter_regions
from ._filter_samples import filter_samples
from ._highly_variable import highly_variable
from ._hold_out import hold_out
from ._m_values import beta_to_m, m_to_beta
from ._qc_metrics import qc_metrics

__all__ = [
    "beta",
    "beta_to_m",
    "collapse_probes",
    "filter_regions",
    "filter_samples",
    "highly_variable",
    "hold_out",
    "m_to_beta",
    "qc_metrics",
]

"""Plots of data and fits; each reads an AnnData and returns Axes."""

from ._beta_heatmap import beta_heatmap
from ._beta_histogram import beta_histogram
from ._component_groups import component_groups
from ._density import density
from ._embedding_heatmap import embedding_heatmap
from ._heldout import heldout
from ._posterior_predictive import posterior_predictive
from ._top_genes import top_genes
from ._trace import trace

__all__ = [
    "beta_heatmap",
    "beta_histogram",
    "component_groups",
    "density",
    "embedding_heatmap",
    "heldout",
    "posterior_predictive",
    "top_genes",
    "trace",
]

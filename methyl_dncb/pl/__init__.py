"""Plots of data and fits; each reads an AnnData and returns Axes."""

from ._beta_heatmap import beta_heatmap
from ._embedding_heatmap import embedding_heatmap
from ._top_genes import top_genes
from ._trace import trace

__all__ = ["beta_heatmap", "embedding_heatmap", "top_genes", "trace"]

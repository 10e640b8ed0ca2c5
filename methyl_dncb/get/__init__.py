"""Tidy tables of what a fit wrote into an AnnData."""

from ._components import components
from ._embedding import embedding
from ._posterior import posterior
from ._top_genes import top_genes

__all__ = ["components", "embedding", "posterior", "top_genes"]

"""Tidy tables of what a fit wrote into an AnnData."""

from ._top_genes import top_genes

__all__ = ["top_genes"]

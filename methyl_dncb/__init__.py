"""Doubly non-central beta matrix factorisation of DNA methylation data, for AnnData."""

from importlib.metadata import version

from . import datasets, get, io, pl, pp, stats, tl

__version__ = version("methyl-dncb")
__all__ = ["datasets", "get", "io", "pl", "pp", "stats", "tl"]

"""Prepare β values: smoothing, filtering, gene selection, held-out entries."""

from ._hold_out import hold_out

__all__ = ["hold_out"]

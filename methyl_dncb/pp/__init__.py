"""Prepare β values: smoothing, filtering, gene selection, held-out entries."""

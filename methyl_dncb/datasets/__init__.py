"""Data with a known truth, made on the spot."""

from ._simulate_groups import simulate_groups

__all__ = ["simulate_groups"]

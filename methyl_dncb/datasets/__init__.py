"""Data with a known truth, made on the spot, and the paper's own."""

from ._dncb_mf_prior import dncb_mf_prior
from ._epiclomal import epiclomal
from ._paper_synthetic import paper_synthetic
from ._simulate_groups import simulate_groups

__all__ = ["dncb_mf_prior", "epiclomal", "paper_synthetic", "simulate_groups"]

"""Fit models to an AnnData and write the results into it."""

from ._bg_nmf import bg_nmf
from ._dncb_mf import dncb_mf
from ._enrich import enrich
from ._heldout_score import heldout_score
from ._loo import loo
from ._nmf import nmf
from ._select_components import select_components

__all__ = ["bg_nmf", "dncb_mf", "enrich", "heldout_score", "loo", "nmf", "select_components"]

"""Fit models to an AnnData and write the results into it."""

from ._bg_nmf import bg_nmf
from ._compare_groups import compare_groups
from ._dncb_mf import dncb_mf
from ._enrich import enrich
from ._heldout_score import heldout_score
from ._impute import impute
from ._loo import loo
from ._nmf import nmf
from ._project import project
from ._select_components import select_components

__all__ = [
    "bg_nmf",
    "compare_groups",
    "dncb_mf",
    "enrich",
    "heldout_score",
    "impute",
    "loo",
    "nmf",
    "project",
    "select_components",
]

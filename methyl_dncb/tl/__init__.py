"""Fit models to an AnnData and write the results into it."""

from ._dncb_mf import dncb_mf

__all__ = ["dncb_mf"]

"""The two distributions behind the model, in the manner of `scipy.stats`."""

from ._bessel import bessel
from ._dncb import dncb

__all__ = ["bessel", "dncb"]

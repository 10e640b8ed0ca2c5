"""A fit as it stands in an AnnData, for the tools that use one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._keys import FactorKeys

if TYPE_CHECKING:
    from anndata import AnnData


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was fitted under `keys`: its summary, the genes it is about, and its draws."""

    keys: FactorKeys
    summary: dict[str, Any]
    genes: np.ndarray  # boolean, over all genes of the AnnData
    adata: AnnData

    @property
    def shape_S2(self) -> np.ndarray:
        """(ε₁, ε₂) of each draw."""
        if "shape_draws" in self.summary:
            return np.asarray(self.summary["shape_draws"])
        return np.tile(self.summary["shape"], (self.summary["scale"].shape[1], 1))

    @property
    def prior(self) -> np.ndarray:
        """(a₀, b₀, e₀, f₀)."""
        return self.summary["prior"] if "prior" in self.summary else self.summary["params"]["prior"]

    @property
    def theta_draws(self) -> tuple[np.ndarray, np.ndarray]:
        """θ₁ and θ₂, samples × components × draws."""
        return self._draws("obsm", self.keys.theta1), self._draws("obsm", self.keys.theta2)

    @property
    def phi_draws(self) -> np.ndarray:
        """φ of all genes, genes × components × draws; NaN outside `genes`."""
        if self.summary["params"].get("propagate", True):
            return self._draws("varm", self.keys.phi)
        phi_MK = np.asarray(self.adata.varm[self.keys.phi])  # projected with φ as given: the same for every draw
        return np.broadcast_to(phi_MK[:, :, None], (*phi_MK.shape, self.summary["scale"].shape[1]))

    def _draws(self, slot: str, key: str) -> np.ndarray:
        key = self.keys.draws(key)
        if key not in getattr(self.adata, slot):
            raise ValueError(f"adata.{slot}[{key!r}] is not there; fit with keep_draws=True")
        return np.asarray(getattr(self.adata, slot)[key])


def read_fit(adata: AnnData, key: str) -> Fitted:
    """The fit under `key`, or an error that says how to make one."""
    keys = FactorKeys(key)
    if keys.uns not in adata.uns or keys.phi not in adata.varm or keys.theta1 not in adata.obsm:
        raise ValueError(f"there is no fit {key!r} in this AnnData; call tl.dncb_mf first, or name another with key=")
    if "scale" not in adata.uns[keys.uns]:
        raise ValueError(f"the fit {key!r} is not one of tl.dncb_mf or tl.project")
    genes = np.isfinite(adata.varm[keys.phi]).all(axis=1)
    return Fitted(keys, adata.uns[keys.uns], genes, adata)

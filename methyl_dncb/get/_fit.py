"""What a fit left in an AnnData, found and checked once for tables and plots."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from .._keys import FactorKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData


@dataclass(frozen=True, slots=True)
class Fit:
    """A fit's arrays as they stand in the AnnData, and what its components are called."""

    keys: FactorKeys
    rho_NK: np.ndarray
    phi_MK: np.ndarray
    phi_MKS: np.ndarray | None
    names: list[str]
    uns: dict[str, Any]

    @property
    def genes(self) -> np.ndarray:
        """Which genes of the AnnData were fitted; the others have no φ."""
        return ~np.isnan(self.phi_MK).any(axis=1)

    def ratio(self) -> np.ndarray:
        """ρ, for what can only be drawn or read as a ratio; the weights of `tl.nmf` are none."""
        if self.rho_NK.min() < 0 or self.rho_NK.max() > 1:
            raise ValueError(
                f"adata.obsm[{self.keys.embedding!r}] holds values outside [0, 1], so it is no ρ; "
                "name a fit of tl.dncb_mf or tl.bg_nmf by key="
            )
        return self.rho_NK

    def choose(self, components: Sequence[int | str] | int | str | None) -> list[int]:
        """Columns of the chosen components, by number or by name; all by default."""
        if components is None:
            return list(range(len(self.names)))
        if isinstance(components, str | Integral):
            components = [components]
        chosen = [self._find(component) for component in components]
        if not chosen:
            raise ValueError("components is empty; pass None for all components")
        return chosen

    def _find(self, component: int | str) -> int:
        K = len(self.names)
        if isinstance(component, str) and component in self.names:
            return self.names.index(component)
        if isinstance(component, Integral) and 0 <= component < K:
            return int(component)
        raise ValueError(f"there is no component {component!r}; the fit has {K}, numbered from 0 to {K - 1}")


def find_fit(adata: AnnData, key: str) -> Fit:
    """The fit under `key`, or an error that says which fits there are."""
    keys = FactorKeys(key)
    if keys.embedding not in adata.obsm or keys.phi not in adata.varm:
        stems = [name.removesuffix("_phi") for name in adata.varm if name.endswith("_phi")]
        known = ", ".join(map(repr, stems)) or "none"
        raise ValueError(f"there is no fit under the key {key!r}; call tl.dncb_mf first. Fits in adata: {known}")
    rho = np.asarray(adata.obsm[keys.embedding])
    phi = np.asarray(adata.varm[keys.phi])
    draws = adata.varm.get(keys.draws(keys.phi))
    uns = dict(adata.uns.get(keys.uns, {}))
    return Fit(keys, rho, phi, None if draws is None else np.asarray(draws), _names(uns, phi.shape[1]), uns)


def _names(uns: dict[str, Any], n_components: int) -> list[str]:
    """Components go by the number of their column, unless `uns` lists their names, as of simulated data."""
    listed = uns.get("components")
    if isinstance(listed, list | np.ndarray) and len(listed) == n_components:
        return [str(name) for name in listed]
    return [str(k) for k in range(n_components)]

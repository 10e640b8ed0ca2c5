"""One way out: what a factorisation found goes into the AnnData, all of it or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._data import make_actual

if TYPE_CHECKING:
    from anndata import AnnData

    from .._data import Betas
    from .._keys import FactorKeys


@dataclass(frozen=True, slots=True)
class Factors:
    """Means of a fit (some models have no θ₁ and θ₂), and its draws on the last axis where they are to be kept."""

    embedding_NK: np.ndarray
    theta1_NK: np.ndarray | None
    theta2_NK: np.ndarray | None
    phi_MK: np.ndarray
    theta1_NKS: np.ndarray | None = None
    theta2_NKS: np.ndarray | None = None
    phi_MKS: np.ndarray | None = None


def write_factors(adata: AnnData, keys: FactorKeys, factors: Factors, betas: Betas, uns: dict[str, Any]) -> None:
    """Write a fit to `betas`; genes that are not among them get NaN. Keys of an earlier fit go."""
    make_actual(adata)
    phi_key, theta_keys = keys.phi, (keys.theta1, keys.theta2)
    for slot, key in ((adata.obsm, theta_keys[0]), (adata.obsm, theta_keys[1]), (adata.varm, phi_key)):
        slot.pop(keys.draws(key), None)
    adata.layers.pop(keys.log_likelihood, None)
    adata.obsm[keys.embedding] = factors.embedding_NK
    for key, theta_NK in zip(theta_keys, (factors.theta1_NK, factors.theta2_NK), strict=True):
        adata.obsm.pop(key, None)
        if theta_NK is not None:
            adata.obsm[key] = theta_NK
    adata.varm[phi_key] = _over_all_genes(factors.phi_MK, betas.genes)
    if factors.theta1_NKS is not None:
        adata.obsm[keys.draws(keys.theta1)] = factors.theta1_NKS
        adata.obsm[keys.draws(keys.theta2)] = factors.theta2_NKS
    if factors.phi_MKS is not None:
        adata.varm[keys.draws(phi_key)] = _over_all_genes(factors.phi_MKS, betas.genes)
    if betas.n_held_out:
        uns = uns | {"held_out": {"shape": np.array(betas.beta_NM.shape), "crc32": betas.held_out_crc32}}
    adata.uns[keys.uns] = uns


def write_score(adata: AnnData, key: str, name: str, score: dict[str, float]) -> None:
    """Put a score beside the fit it is of; that of a view is no longer its parent's."""
    make_actual(adata)
    adata.uns[key] = {**adata.uns[key], name: score}


def _over_all_genes(values: np.ndarray, genes: np.ndarray) -> np.ndarray:
    if genes.all():
        return values
    out = np.full((genes.size, *values.shape[1:]), np.nan, dtype=values.dtype)
    out[genes] = values
    return out


def versions() -> dict[str, str]:
    """Versions of the packages that a result depends on."""
    from importlib.metadata import version

    return {name: version(name) for name in ("methyl-dncb", "anndata", "numpy", "scipy")}

"""One way back in: what a factorisation wrote into an AnnData, as draws that predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _check
from .._data import read_betas
from .._keys import FactorKeys
from ..model._predictive import BetaLikelihood, DncbLikelihood, Draws, TruncatedGaussianLikelihood

if TYPE_CHECKING:
    from anndata import AnnData


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A fit's draws over its own genes, and β of those genes with nothing held out."""

    draws: Draws
    genes: np.ndarray  # boolean, over all genes of the AnnData
    beta_NM: np.ndarray
    mask: str | None
    held_out_NM: np.ndarray  # observed entries that the mask holds out
    n_chains: int


def read_fit(adata: AnnData, *, key: str, mask: str | None = None, draws: int | None = None) -> FittedModel:
    """Read the fit under `key` with at most `draws` of its draws, and its data; by default with its own mask."""
    if draws is not None:
        draws = _check.whole_number("draws", draws, least=1)
    if key not in adata.uns or "params" not in adata.uns[key]:
        raise ValueError(f"there is no fit under adata.uns[{key!r}]; fit a model first, or name its key")
    keys, uns = FactorKeys(key), adata.uns[key]
    genes = ~np.isnan(np.asarray(adata.varm[keys.phi])).any(axis=1)
    fitted = _draws(adata, keys, draws)
    where = {"layer": uns["params"].get("layer"), "mask_var": genes}
    beta_NM = read_betas(adata, **where).beta_NM
    mask = uns["params"].get("mask") if mask is None else mask
    held_out_NM = np.isnan(read_betas(adata, mask=mask, **where).beta_NM) & ~np.isnan(beta_NM)
    phi_MKS = fitted.phi_MKS if genes.all() else fitted.phi_MKS[genes]
    fitted = Draws(fitted.likelihood, fitted.theta1_NKS, fitted.theta2_NKS, phi_MKS)
    return FittedModel(fitted, genes, beta_NM, mask, held_out_NM, int(uns["params"].get("n_chains", 1)))


def _draws(adata: AnnData, keys: FactorKeys, n_draws: int | None) -> Draws:
    uns = adata.uns[keys.uns]
    model = uns.get("model", "dncb_mf")
    if model == "nmf":
        weight_NK1 = np.asarray(adata.obsm[keys.embedding])[:, :, None]
        phi_MK1 = np.asarray(adata.varm[keys.phi])[:, :, None]
        return Draws(TruncatedGaussianLikelihood(float(uns["sigma"])), weight_NK1, weight_NK1, phi_MK1)
    theta1_key, theta2_key, phi_key = (keys.draws(key) for key in (keys.theta1, keys.theta2, keys.phi))
    if theta1_key not in adata.obsm:
        raise ValueError(f"the fit under {keys.stem!r} kept no draws; fit again with keep_draws=True")
    stored = adata.obsm[theta1_key].shape[2]
    # Evenly over what is stored, so over all chains.
    chosen = np.arange(stored)
    if n_draws is not None and n_draws < stored:
        chosen = np.linspace(0, stored - 1, n_draws).round().astype(int)
    phi = adata.varm.get(phi_key)
    if phi is None:  # projected with φ as given: the same for every draw
        phi_MK = np.asarray(adata.varm[keys.phi])
        phi = np.broadcast_to(phi_MK[:, :, None], (*phi_MK.shape, stored))
    arrays = (adata.obsm[theta1_key], adata.obsm[theta2_key], phi)
    arrays = (array if len(chosen) == stored else array[:, :, chosen] for array in map(np.asarray, arrays))
    if model == "bg_nmf":
        return Draws(BetaLikelihood(), *arrays)
    learned = "shape_draws" in uns
    return Draws(DncbLikelihood(uns["shape_draws"][chosen] if learned else uns["shape"]), *arrays)

"""An AnnData of β values drawn through DNCB noise, with the factors that made it as its truth."""

from __future__ import annotations

import anndata as ad
import numpy as np
import pandas as pd

from .._keys import FactorKeys

TRUTH = FactorKeys("truth")

# Families whose members are numbered, so that plots and gene-set tables of simulated data read naturally.
FAMILIES = (
    "HOXA", "SOX", "PAX", "GATA", "FOXC", "TBX", "ZNF", "CDKN", "RASSF", "SFRP", "WNT", "DKK",
    "KLF", "IRF", "SMAD", "RUNX", "CDH", "CLDN", "KRT", "SLC", "RAB", "MAPK", "TNFSF", "CXCL",
)  # fmt: skip


def from_factors(
    theta1_NK: np.ndarray,
    theta2_NK: np.ndarray,
    phi_MK: np.ndarray,
    *,
    shape: tuple[float, float],
    missing: float,
    components: list[str],
    rng: np.random.Generator,
) -> ad.AnnData:
    """Draw β of every entry given its rates, hide a fraction of it, and keep the truth beside it."""
    beta_NM = draw_dncb(theta1_NK @ phi_MK.T, theta2_NK @ phi_MK.T, shape, rng)
    n_missing = round(missing * beta_NM.size)
    beta_NM.flat[rng.choice(beta_NM.size, n_missing, replace=False)] = np.nan
    n_obs, n_vars = beta_NM.shape
    return ad.AnnData(
        beta_NM.astype(np.float32),
        obs=pd.DataFrame(index=sample_names(n_obs)),
        var=pd.DataFrame(index=gene_names(n_vars)),
        obsm={
            TRUTH.embedding: theta1_NK / (theta1_NK + theta2_NK),
            TRUTH.theta1: theta1_NK,
            TRUTH.theta2: theta2_NK,
        },
        varm={TRUTH.phi: phi_MK},
        uns={TRUTH.uns: {"shape": np.array(shape), "components": np.array(components, dtype=object)}},
    )


def draw_dncb(rate1: np.ndarray, rate2: np.ndarray, shape: tuple[float, float], rng: np.random.Generator) -> np.ndarray:
    """β ~ Beta(ε1 + y1, ε2 + y2) with y ~ Poisson(rate), kept off 0 and 1 as float32 knows them."""
    beta = rng.beta(shape[0] + rng.poisson(rate1), shape[1] + rng.poisson(rate2))
    limits = np.finfo(np.float32)
    return np.clip(beta, float(limits.tiny), 1 - float(limits.epsneg))


def sample_names(n_obs: int) -> list[str]:
    """Names that sort as they stand."""
    return [f"sample_{i:0{len(str(n_obs - 1))}d}" for i in range(n_obs)]


def gene_names(n_vars: int) -> list[str]:
    """Distinct names that look like gene symbols."""
    return [f"{FAMILIES[j % len(FAMILIES)]}{j // len(FAMILIES) + 1}" for j in range(n_vars)]

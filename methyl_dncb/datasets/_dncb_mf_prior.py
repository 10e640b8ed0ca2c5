from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _check
from ._from_factors import from_factors

if TYPE_CHECKING:
    from anndata import AnnData


def dncb_mf_prior(
    n_obs: int = 100,
    n_vars: int = 500,
    n_components: int = 10,
    *,
    shape: float | tuple[float, float] = 0.75,
    prior: tuple[float, float, float, float] = (0.1, 0.1, 0.1, 0.1),
    missing: float = 0.0,
    rng: np.random.Generator | int | None = None,
) -> AnnData:
    """Draw a dataset from DNCB-MF itself, with known θ and φ.

    θ⁽¹⁾, θ⁽²⁾ ~ Gamma(a₀, b₀) and φ ~ Gamma(e₀, f₀) (shape and rate), then
    β ~ DNCB(ε₁, ε₂, Σ θ⁽¹⁾ φ, Σ θ⁽²⁾ φ).

    Parameters
    ----------
    n_obs
        Number of samples.
    n_vars
        Number of genes.
    n_components
        Number of components.
    shape
        ε of the noise: one number, or a pair (ε₁, ε₂).
    prior
        (a₀, b₀, e₀, f₀).
    missing
        Fraction of entries set to NaN.
    rng
        Seed or generator.

    Returns
    -------
    AnnData
        β in `X`; the factors in `obsm["truth_theta1"]`, `obsm["truth_theta2"]`, `obsm["X_truth"]` and
        `varm["truth_phi"]`; ε and the prior in `uns["truth"]`.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.dncb_mf_prior(20, 50, 4, rng=0)
    >>> adata.varm["truth_phi"].shape
    (50, 4)
    """
    n_obs = _check.whole_number("n_obs", n_obs, least=1)
    n_vars = _check.whole_number("n_vars", n_vars, least=1)
    n_components = _check.whole_number("n_components", n_components, least=1)
    missing = _check.fraction("missing", missing, zero=True)
    shape = _check.positive_numbers("shape", shape, length=2)
    a0, b0, e0, f0 = _check.positive_numbers("prior", prior, length=4)
    rng = np.random.default_rng(rng)
    theta1_NK = _gamma(a0, b0, (n_obs, n_components), rng)
    theta2_NK = _gamma(a0, b0, (n_obs, n_components), rng)
    phi_MK = _gamma(e0, f0, (n_vars, n_components), rng)
    components = [f"component {k + 1}" for k in range(n_components)]
    adata = from_factors(theta1_NK, theta2_NK, phi_MK, shape=shape, missing=missing, components=components, rng=rng)
    adata.uns["truth"]["prior"] = np.array([a0, b0, e0, f0])
    return adata


def _gamma(shape: float, rate: float, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Gamma draws; small shapes underflow to 0, where ρ = θ⁽¹⁾/(θ⁽¹⁾ + θ⁽²⁾) would have no value."""
    return np.maximum(rng.gamma(shape, 1 / rate, size), np.finfo(np.float64).tiny)

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from scanpy import logging as logg

from .. import _check
from .._data import IF_PRESENT, read_betas
from .._keys import FactorKeys
from .._progress import progress_bar
from ..model._bg_nmf import fit_bg_nmf
from ..model._state import Priors
from ._write import Factors, versions, write_factors

if TYPE_CHECKING:
    from anndata import AnnData

    from .._data import Betas, MaskVar
    from ..model._bg_nmf import BgNmf

# The beta density has no finite logarithm at 0 and 1: such values are moved this far inside.
EDGE = 1e-4


def bg_nmf(
    adata: AnnData,
    n_components: int = 14,
    *,
    n_iterations: int = 1000,
    tol: float = 5e-4,
    n_draws: int = 100,
    prior: float | tuple[float, float, float, float] = (0.1, 0.1, 0.1, 0.1),
    layer: str | None = None,
    mask: str | None = None,
    mask_var: MaskVar = IF_PRESENT,
    rng: np.random.Generator | int | None = None,
    n_jobs: int | None = None,
    keep_draws: bool = False,
    key_added: str | None = None,
    copy: bool = False,
    progress: bool | None = None,
) -> AnnData | None:
    """Fit beta–gamma non-negative matrix factorisation [Ma2015]_ by variational inference.

    β ~ Beta(Σ θ₁φ, Σ θ₂φ) with gamma priors: the model that DNCB-MF is compared with in the paper. The
    posterior is approximated by independent gammas that climb a lower bound on the evidence. The bound
    nests three: on the beta's normaliser, by its convexity in the logarithms of the parameters; on the
    logarithm of their sum, by its tangent; on the logarithms of sums over components, by Jensen. Missing and
    held-out entries take no part.

    Parameters
    ----------
    adata
        β values between 0 and 1, samples × genes, dense. NaN is missing. Exact 0 and 1 have no finite
        density and are moved inside by 1e-4.
    n_components
        Number of components, K.
    n_iterations
        Most iterations.
    tol
        Stop when an iteration raises the bound by less than this per observed entry. Stopping early also
        guards against over-fitting: long after, the approximate posterior grows too sure of itself.
    n_draws
        Draws from the fitted gammas, for ρ and for prediction.
    prior
        (a₀, b₀, e₀, f₀): θ ~ Gamma(a₀, rate b₀), φ ~ Gamma(e₀, rate f₀).
    layer
        Layer with the β values; X by default.
    mask
        Name of a boolean layer; its True entries are held out.
    mask_var
        Genes to use: a boolean column of `var` or an array. By default `var["highly_variable"]` if present;
        None takes all genes.
    rng
        Seed or generator.
    n_jobs
        Threads; all available cores by default. The result does not depend on it.
    keep_draws
        Whether to store the draws, which `tl.heldout_score` needs.
    key_added
        Stem of the keys to write, instead of `bg_nmf`.
    copy
        Whether to return a copy instead of writing into `adata`.
    progress
        Whether to show a progress bar with the bound; by default in terminals and notebooks.

    Returns
    -------
    None, or with `copy=True` a copy of `adata`, with the following fields set once the fit is complete:

    `.obsm['X_bg_nmf']`
        ρ = θ₁/(θ₁ + θ₂), averaged over draws.
    `.obsm['bg_nmf_theta1']`, `.obsm['bg_nmf_theta2']`, `.varm['bg_nmf_phi']`
        Means of θ₁, θ₂ and φ; φ is NaN for genes outside `mask_var`.
    `.obsm['bg_nmf_theta1_draws']`, `.obsm['bg_nmf_theta2_draws']`, `.varm['bg_nmf_phi_draws']`
        With `keep_draws`, the draws on the last axis.
    `.uns['bg_nmf']`
        `params`, the `bound` at each iteration, whether it `converged`, `seconds`, `versions`.

    References
    ----------
    .. [Ma2015] Ma et al., Variational Bayesian matrix factorization for bounded support data. IEEE
       Transactions on Pattern Analysis and Machine Intelligence 37, 876–889 (2015).

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=30, n_vars=60, rng=0)
    >>> md.tl.bg_nmf(adata, n_components=4, rng=0)
    >>> adata.obsm["X_bg_nmf"].shape
    (30, 4)
    """
    stem = _check.key_stem(key_added, "bg_nmf")
    params = {
        "n_components": _check.whole_number("n_components", n_components, least=1),
        "n_iterations": _check.whole_number("n_iterations", n_iterations, least=1),
        "tol": _check.positive_numbers("tol", tol, length=1)[0],
        "n_draws": _check.whole_number("n_draws", n_draws, least=1),
        "prior": np.array(_check.positive_numbers("prior", prior, length=4)),
        "layer": layer,
        "mask": mask,
        "rng": _check.seed_words(rng),
        "keep_draws": bool(keep_draws),
    }
    threads = _check.job_count(n_jobs)
    betas = read_betas(adata, layer=layer, mask=mask, mask_var=mask_var)
    params["mask_var"] = betas.mask_var
    beta_NM = _move_inside(betas)
    start = logg.info(f"fitting BG-NMF to {beta_NM.shape[0]} samples × {beta_NM.shape[1]} genes")
    began = perf_counter()
    fit_seed, draw_seed = np.random.SeedSequence(params["rng"]).spawn(2)
    fitted = _fit(beta_NM, params, np.random.default_rng(fit_seed), threads, progress)
    if not fitted.converged:
        logg.warning(f"BG-NMF was still rising after {n_iterations} iterations; raise n_iterations or tol.")
    factors = _factors(fitted, params["n_draws"], np.random.default_rng(draw_seed), keep_draws=keep_draws)
    uns = {
        "model": "bg_nmf",
        "params": params,
        "bound": fitted.bound,
        "converged": fitted.converged,
        "seconds": perf_counter() - began,
        "versions": versions(),
    }
    adata = (adata.to_memory() if adata.isbacked else adata.copy()) if copy else adata
    write_factors(adata, FactorKeys(stem), factors, betas, uns)
    logg.info("    finished", time=start)
    return adata if copy else None


def _move_inside(betas: Betas) -> np.ndarray:
    """β with exact 0 and 1 moved inside, and that said."""
    beta_NM = betas.beta_NM
    if not betas.n_exact:
        return beta_NM
    logg.warning(f"{betas.n_exact} values are exactly 0 or 1 and are moved inside by {EDGE}.")
    beta_NM = np.where(beta_NM == 0, np.float32(EDGE), beta_NM)
    return np.where(beta_NM == 1, np.float32(1 - EDGE), beta_NM)


def _fit(
    beta_NM: np.ndarray, params: dict[str, Any], rng: np.random.Generator, n_jobs: int, progress: bool | None
) -> BgNmf:
    """The fit itself, with its progress bar."""
    with progress_bar(params["n_iterations"], "BG-NMF", unit="iteration", progress=progress) as bar:

        def report(bound: float) -> None:
            bar.set_postfix_str(f"bound per entry {bound:.4f}", refresh=False)
            bar.update()

        return fit_bg_nmf(
            beta_NM,
            params["n_components"],
            priors=Priors(*params["prior"]),
            n_iterations=params["n_iterations"],
            tol=params["tol"],
            rng=rng,
            n_jobs=n_jobs,
            report=report,
        )


def _factors(fitted: BgNmf, n_draws: int, rng: np.random.Generator, *, keep_draws: bool) -> Factors:
    theta1_NKS, theta2_NKS = fitted.theta1.draw(n_draws, rng), fitted.theta2.draw(n_draws, rng)
    rho_NK = (theta1_NKS / (theta1_NKS + theta2_NKS)).mean(axis=2)
    draws = {}
    if keep_draws:
        phi_MKS = fitted.phi.draw(n_draws, rng).swapaxes(0, 1)
        draws = {"theta1_NKS": theta1_NKS, "theta2_NKS": theta2_NKS, "phi_MKS": phi_MKS}
        draws = {name: np.ascontiguousarray(values, dtype=np.float32) for name, values in draws.items()}
    return Factors(rho_NK, fitted.theta1.mean, fitted.theta2.mean, fitted.phi.mean.T.copy(), **draws)

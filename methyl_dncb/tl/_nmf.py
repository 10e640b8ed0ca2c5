from __future__ import annotations

import warnings
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from scanpy import logging as logg
from threadpoolctl import threadpool_limits

from .. import _check
from .._data import IF_PRESENT, read_betas
from .._keys import FactorKeys
from .._progress import progress_bar
from ..model._nmf_frobenius import refine_over_observed
from ._write import Factors, versions, write_factors

if TYPE_CHECKING:
    from anndata import AnnData

    from .._data import MaskVar

# No array measures β as closely as this.
SMALLEST_SIGMA = 1e-4


def nmf(
    adata: AnnData,
    n_components: int = 14,
    *,
    n_iterations: int = 200,
    tol: float = 1e-4,
    layer: str | None = None,
    mask: str | None = None,
    mask_var: MaskVar = IF_PRESENT,
    rng: np.random.Generator | int | None = None,
    key_added: str | None = None,
    copy: bool = False,
    progress: bool | None = None,
) -> AnnData | None:
    """Fit least-squares non-negative matrix factorisation, the usual choice, to compare with.

    Where nothing is missing or held out, this is scikit-learn's `NMF` with its default settings, as in the
    paper. Where something is, scikit-learn's NMF of the matrix with genes' means in the gaps is the start, and
    coordinate descent then lowers the squared error over the observed entries alone: gaps stand at their
    current prediction, which is what the paper calls imputing held-out values during inference.

    For prediction, β is Gaussian around the fit, truncated to (0, ∞) as in the paper, with the standard
    deviation σ of the residuals at observed entries; the paper does not say which σ it took.

    Parameters
    ----------
    adata
        β values between 0 and 1, samples × genes, dense. NaN is missing.
    n_components
        Number of components, K.
    n_iterations, tol
        Most iterations, and the relative gain at which to stop.
    layer
        Layer with the β values; X by default.
    mask
        Name of a boolean layer; its True entries are held out.
    mask_var
        Genes to use: a boolean column of `var` or an array. By default `var["highly_variable"]` if present;
        None takes all genes.
    rng
        Seed or generator.
    key_added
        Stem of the keys to write, instead of `nmf`.
    copy
        Whether to return a copy instead of writing into `adata`.
    progress
        Whether to show a progress bar; by default in terminals and notebooks.

    Returns
    -------
    None, or with `copy=True` a copy of `adata`, with the following fields set once the fit is complete:

    `.obsm['X_nmf']`
        The weights of components in samples.
    `.varm['nmf_phi']`
        The weights of genes in components; NaN for genes outside `mask_var`.
    `.uns['nmf']`
        `params`, `sigma`, `seconds`, `versions`.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=30, n_vars=60, rng=0)
    >>> md.tl.nmf(adata, n_components=4, rng=0)
    >>> adata.obsm["X_nmf"].shape
    (30, 4)
    """
    stem = _check.key_stem(key_added, "nmf")
    params = {
        "n_components": _check.whole_number("n_components", n_components, least=1),
        "n_iterations": _check.whole_number("n_iterations", n_iterations, least=1),
        "tol": _check.positive_numbers("tol", tol, length=1)[0],
        "layer": layer,
        "mask": mask,
        "rng": _check.seed_words(rng),
    }
    betas = read_betas(adata, layer=layer, mask=mask, mask_var=mask_var)
    params["mask_var"] = betas.mask_var
    start = logg.info(f"fitting NMF to {betas.beta_NM.shape[0]} samples × {betas.beta_NM.shape[1]} genes")
    began = perf_counter()
    # One BLAS thread: products with K columns are too small to share out, and waiting threads cost more.
    with threadpool_limits(1, "blas"):
        weight_NK, phi_KM = _factorise(betas.beta_NM, params, progress)
        residual_NM = weight_NK @ phi_KM - betas.beta_NM
    sigma = float(np.sqrt(np.nanmean(residual_NM**2)))
    if sigma < SMALLEST_SIGMA:
        logg.warning(
            f"{params['n_components']} components repeat the observed values to {sigma:.1g}, which says nothing of "
            "others: held-out scores will be far too low. Use fewer components or hold out less."
        )
    uns = {
        "model": "nmf",
        "params": params,
        "sigma": sigma,
        "seconds": perf_counter() - began,
        "versions": versions(),
    }
    adata = (adata.to_memory() if adata.isbacked else adata.copy()) if copy else adata
    write_factors(adata, FactorKeys(stem), Factors(weight_NK, None, None, phi_KM.T.copy()), betas, uns)
    logg.info("    finished", time=start)
    return adata if copy else None


def _factorise(beta_NM: np.ndarray, params: dict, progress: bool | None) -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's NMF, refined over the observed entries where some are missing."""
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    missing_NM = np.isnan(beta_NM)
    model = NMF(
        params["n_components"],
        max_iter=params["n_iterations"],
        tol=params["tol"],
        random_state=int(np.random.SeedSequence(params["rng"]).generate_state(1)[0]),
    )
    if not missing_NM.any():
        return model.fit_transform(beta_NM.astype(np.float64)), model.components_
    filled_NM = np.where(missing_NM, _gene_means(beta_NM, missing_NM), beta_NM)
    with warnings.catch_warnings():
        # A start need not have converged.
        warnings.simplefilter("ignore", ConvergenceWarning)
        weight_NK = model.fit_transform(filled_NM)
    with progress_bar(params["n_iterations"], "NMF", unit="iteration", progress=progress) as bar:
        weight_NK, phi_KM, losses = refine_over_observed(
            beta_NM,
            weight_NK,
            model.components_,
            n_iterations=params["n_iterations"],
            tol=params["tol"],
            report=lambda _loss: bar.update(),
        )
    if len(losses) == params["n_iterations"]:
        logg.warning(f"NMF was still improving after {len(losses)} iterations; raise n_iterations or tol.")
    return weight_NK, phi_KM


def _gene_means(beta_NM: np.ndarray, missing_NM: np.ndarray) -> np.ndarray:
    """Each gene's mean over observed entries, or the mean of all where a gene has none."""
    count_M = (~missing_NM).sum(axis=0)
    sum_M = np.nansum(beta_NM, axis=0, dtype=np.float64)
    return np.where(count_M > 0, sum_M / np.maximum(count_M, 1), sum_M.sum() / count_M.sum())

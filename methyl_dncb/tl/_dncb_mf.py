from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scanpy import logging as logg

from .. import _check
from .._data import IF_PRESENT, read_betas
from .._keys import FactorKeys
from .._progress import progress_bar
from ..model._fit import Schedule, fit
from ..model._state import Priors, Problem
from ._diagnose import effective_size, split_r_hat
from ._write import Factors, versions, write_factors

if TYPE_CHECKING:
    from anndata import AnnData

    from .._data import Betas, MaskVar
    from ..model._state import Trace

Init = Literal["nmf", "prior"] | tuple[np.ndarray, np.ndarray, np.ndarray]


def dncb_mf(
    adata: AnnData,
    n_components: int = 14,
    *,
    shape: float | tuple[float, float] = 0.75,
    n_burnin: int = 1000,
    n_draws: int = 100,
    thin: int = 20,
    n_chains: int = 1,
    prior: float | tuple[float, float, float, float] = (0.1, 0.1, 0.1, 0.1),
    layer: str | None = None,
    mask: str | None = None,
    mask_var: MaskVar = IF_PRESENT,
    init: Init = "nmf",
    rng: np.random.Generator | int | None = None,
    n_jobs: int | None = None,
    keep_draws: bool = False,
    key_added: str | None = None,
    copy: bool = False,
    progress: bool | None = None,
) -> AnnData | None:
    """Fit doubly non-central beta matrix factorisation to β values, by exact Gibbs sampling.

    Each component is a group of genes (φ) that are methylated together; each sample has a methylated (θ₁)
    and an unmethylated (θ₂) loading on it, and ρ = θ₁/(θ₁ + θ₂) says which prevails (Schein et al., 2021).

    Parameters
    ----------
    adata
        β values between 0 and 1, samples × genes, dense, in memory or backed. NaN is missing. Exact 0 and 1
        are allowed.
    n_components
        Number of components, K.
    shape
        The shapes (ε₁, ε₂) of the background, or one number for both. Below 1 the density is highest at 0 and 1.
    n_burnin, n_draws, thin
        Sweeps that are thrown away, draws that are kept, and sweeps from one draw to the next. The defaults are
        the paper's protocol.
    n_chains
        Independent chains. Components are matched across chains and draws before means are taken.
    prior
        (a₀, b₀, e₀, f₀): θ ~ Gamma(a₀, rate b₀), φ ~ Gamma(e₀, rate f₀).
    layer
        Layer with the β values; X by default.
    mask
        Name of a boolean layer; its True entries are held out. Held-out and missing entries are integrated out,
        not imputed.
    mask_var
        Genes to use: a boolean column of `var` or an array. By default `var["highly_variable"]` if present,
        as in scanpy; None takes all genes.
    init
        Where chains start: `"nmf"` (a masked KL-NMF, which saves hundreds of sweeps), `"prior"`, or arrays
        (θ₁ samples × K, θ₂ samples × K, φ genes × K).
    rng
        Seed or generator. The same seed gives the same bits, for any `n_jobs`.
    n_jobs
        Threads; all available cores by default.
    keep_draws
        Whether to store the draws themselves.
    key_added
        Stem of the keys to write, instead of `dncb_mf`.
    copy
        Whether to return a copy instead of writing into `adata`.
    progress
        Whether to show a progress bar with the running log likelihood; by default in terminals and notebooks.

    Returns
    -------
    None, or with `copy=True` a copy of `adata`, with the following fields set once the fit is complete:

    `.obsm['X_dncb_mf']`
        ρ, samples × components: the embedding for `sc.pp.neighbors(use_rep="X_dncb_mf")`.
    `.obsm['dncb_mf_theta1']`, `.obsm['dncb_mf_theta2']`
        Posterior means of θ₁ and θ₂.
    `.varm['dncb_mf_phi']`
        Posterior mean of φ, genes × components; NaN for genes outside `mask_var`.
    `.obsm['dncb_mf_theta1_draws']`, `.obsm['dncb_mf_theta2_draws']`, `.varm['dncb_mf_phi_draws']`
        With `keep_draws`, the draws on the last axis, chain after chain.
    `.uns['dncb_mf']`
        `params` (enough to repeat the fit: `tl.dncb_mf(adata, **params)`), `shape`, `log_likelihood`
        (chains × one value every `thin` sweeps, burn-in first), its `r_hat` and `ess` over the draws,
        `seconds`, `versions`.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=30, n_vars=60, rng=0)
    >>> md.tl.dncb_mf(adata, n_components=4, n_burnin=50, n_draws=10, thin=5, rng=0)
    >>> adata.obsm["X_dncb_mf"].shape
    (30, 4)
    """
    stem = _check.key_stem(key_added, "dncb_mf")
    K = _check.whole_number("n_components", n_components, least=1)
    schedule = Schedule(
        n_burnin=_check.whole_number("n_burnin", n_burnin, least=0),
        n_draws=_check.whole_number("n_draws", n_draws, least=1),
        thin=_check.whole_number("thin", thin, least=1),
        n_chains=_check.whole_number("n_chains", n_chains, least=1),
    )
    shapes = _check.positive_numbers("shape", shape, length=2)
    priors = _check.positive_numbers("prior", prior, length=4)
    threads = _check.job_count(n_jobs)
    words = _check.seed_words(rng)
    betas = read_betas(adata, layer=layer, mask=mask, mask_var=mask_var)
    init = _check_init(init, (*betas.beta_NM.shape, K))
    _tell(betas)
    problem = Problem(betas.beta_NM, K, shapes, Priors(*priors))
    start = logg.info(f"fitting DNCB-MF to {betas.beta_NM.shape[0]} samples × {betas.beta_NM.shape[1]} genes")
    began = perf_counter()
    with progress_bar(schedule.n_chains * schedule.n_sweeps, "DNCB-MF", unit="sweep", progress=progress) as bar:

        def report(log_likelihood: float | None) -> None:
            if log_likelihood is not None:
                bar.set_postfix_str(f"log likelihood {log_likelihood:,.0f}", refresh=False)
            bar.update()

        trace = fit(problem, schedule, init=init, seed=np.random.SeedSequence(words), n_jobs=threads, report=report)

    params = {
        "n_components": K,
        "shape": np.array(shapes),
        "n_burnin": schedule.n_burnin,
        "n_draws": schedule.n_draws,
        "thin": schedule.thin,
        "n_chains": schedule.n_chains,
        "prior": np.array(priors),
        "layer": layer,
        "mask": mask,
        "mask_var": betas.mask_var,
        "init": init if isinstance(init, str) else dict(zip(("theta1", "theta2", "phi"), init, strict=True)),
        "rng": words,
        "keep_draws": bool(keep_draws),
    }
    adata = (adata.to_memory() if adata.isbacked else adata.copy()) if copy else adata
    keys = FactorKeys(stem)
    summary = _summarise(trace, params, perf_counter() - began)
    write_factors(adata, keys, _average(trace, keep_draws=keep_draws), betas.genes, summary)
    logg.info(
        "    finished",
        time=start,
        deep=f"added\n    {keys.embedding!r}, {keys.theta1!r}, {keys.theta2!r} (adata.obsm)\n"
        f"    {keys.phi!r} (adata.varm)\n    {keys.uns!r} (adata.uns)",
    )
    return adata if copy else None


def _check_init(init: Any, dims: tuple[int, int, int]) -> Init:
    """`init` as a name or three positive arrays of the right shapes; a dict is what `params` holds after a file."""
    N, M, K = dims
    if isinstance(init, str):
        if init not in ("nmf", "prior"):
            raise ValueError(f'init must be "nmf", "prior" or arrays (theta1, theta2, phi), not {init!r}')
        return init
    if isinstance(init, dict):
        init = tuple(init.get(name) for name in ("theta1", "theta2", "phi"))
    if not isinstance(init, tuple | list) or len(init) != 3:
        raise TypeError('init must be "nmf", "prior" or three arrays (theta1, theta2, phi)')
    arrays = tuple(np.asarray(array, dtype=np.float64) for array in init)
    for name, array, wanted in zip(("theta1", "theta2", "phi"), arrays, ((N, K), (N, K), (M, K)), strict=True):
        if array.shape != wanted:
            raise ValueError(f"init: {name} has shape {array.shape}, but {wanted} is needed")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise ValueError(f"init: {name} must be finite and not below 0")
    return arrays


def _tell(betas: Betas) -> None:
    """Say once what was found in the data that a user may not know of."""
    if betas.n_exact:
        logg.warning(
            f"{betas.n_exact} values are exactly 0 or 1. The sampler takes them as they are; the log likelihood "
            "leaves them out, because the density is not finite there for shapes below 1."
        )
    if betas.n_missing or betas.n_held_out:
        logg.info(f"    {betas.n_missing} missing and {betas.n_held_out} held-out entries are integrated out")


def _average(trace: Trace, *, keep_draws: bool) -> Factors:
    draws = (trace.theta1_NKS, trace.theta2_NKS, trace.phi_MKS)
    means = tuple(values.mean(axis=2, dtype=np.float64) for values in draws)
    rho_NK = np.zeros(means[0].shape)
    for s in range(trace.phi_MKS.shape[2]):
        theta1 = trace.theta1_NKS[:, :, s].astype(np.float64)
        rho_NK += theta1 / (theta1 + trace.theta2_NKS[:, :, s])
    return Factors(rho_NK / trace.phi_MKS.shape[2], *means, *(draws if keep_draws else ()))


def _summarise(trace: Trace, params: dict[str, Any], seconds: float) -> dict[str, Any]:
    of_draws = trace.log_likelihood_CE[:, -trace.n_draws :]
    return {
        "params": params,
        "shape": params["shape"],
        "log_likelihood": trace.log_likelihood_CE,
        "r_hat": split_r_hat(of_draws),
        "ess": effective_size(of_draws),
        "seconds": seconds,
        "versions": versions(),
    }

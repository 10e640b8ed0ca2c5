from __future__ import annotations

import inspect
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from scanpy import logging as logg

from .. import _check
from .._data import IF_PRESENT
from .._keys import FactorKeys
from .._progress import progress_bar
from ..model._fit import fit
from ._interrupt import deferred_interrupt
from ._keeper import Keeper, check_keeping
from ._settings import check_settings
from ._summarise import average, summarise
from ._write import write_factors

if TYPE_CHECKING:
    from os import PathLike

    from anndata import AnnData

    from .._data import Betas, MaskVar
    from ..model._trace import Trace
    from ._keeper import Saved
    from ._settings import Init, Settings


def dncb_mf(
    adata: AnnData,
    n_components: int = 14,
    *,
    shape: float | tuple[float, float] | str = 0.75,
    n_burnin: int | str = 1000,
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
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_interval: float = 300.0,
    resume: str | PathLike[str] | None = None,
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
        `"auto"` learns them: each sweep draws ε₁, ε₂ from their conditional distribution under a Gamma(1, rate 1)
        prior. Entries at exactly 0 or 1 are left out of that step.
    n_burnin, n_draws, thin
        Sweeps that are thrown away, draws that are kept, and sweeps from one draw to the next. The defaults are
        the paper's protocol. `n_burnin="auto"` burns in until the log likelihood of every chain is stationary: from
        sweep 200 on, every 50 sweeps, the later half of its trace (one value every 10 sweeps) is cut in two, and
        R-hat of the two must be below 1.1; after 5,000 sweeps the draws begin in any case. With `resume`, an
        `n_draws` above the checkpoint's extends the run to that many.
    n_chains
        Independent chains, run side by side. Components are matched across chains and draws before means are
        taken. Several chains show which components another start would find too, and pooled they predict better.
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
        Whether to store the draws themselves; `tl.impute`, `tl.compare_groups` and intervals need them.
    checkpoint
        File to save the whole state of the chains in, as `.zarr` or `.npz`: every `checkpoint_interval` seconds,
        on Ctrl-C (after the sweep that is under way), and at the end. It is replaced as a whole or not at all.
    checkpoint_interval
        Seconds from one save to the next.
    resume
        Checkpoint to continue, bit for bit as if the fit had never stopped; it goes on being saved there unless
        `checkpoint` names another file. Arguments left at their default are the checkpoint's; others must agree
        with it. A checkpoint of other data, another version or other arguments is refused.
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
        - `params`: enough to repeat the fit, `tl.dncb_mf(adata, **params)`
        - `shape`: ε₁ and ε₂; if learned, their posterior mean, and `shape_interval` (90%), `shape_trace` (chains ×
          evaluations × 2) and `shape_draws` (one row per draw)
        - `log_likelihood`: chains × evaluations, burn-in first, and `sweep`, the sweep of each evaluation;
          `r_hat` and `ess` of the log likelihood over the draws
        - `diagnostics`: R-hat, bulk and tail ESS of the log likelihood, of learned shapes, of λ₁ and λ₂ at 25 fixed
          entries and of ρ at 10 fixed samples (the worst value of each figure)
        - `components`: the same for ρ of each component, and its `stability`, from 0 to 1
        - `verdict`: what these figures mean, in words
        - `burnin`: its length `n_sweeps`, and with `"auto"` the `r_hat` of each chain and whether they were
          `stationary`
        - `scale`: components × draws, what was taken out of φ so that every φ_k has mean 1 (θ was multiplied by it;
          λ = θφ and ρ are unchanged)
        - `seconds` (since the last resume), `versions`

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=30, n_vars=60, rng=0)
    >>> md.tl.dncb_mf(adata, n_components=4, n_burnin=50, n_draws=10, thin=5, rng=0)
    >>> adata.obsm["X_dncb_mf"].shape
    (30, 4)
    """
    arguments = {
        "n_components": n_components,
        "shape": shape,
        "n_burnin": n_burnin,
        "n_draws": n_draws,
        "thin": thin,
        "n_chains": n_chains,
        "prior": prior,
        "layer": layer,
        "mask": mask,
        "mask_var": mask_var,
        "init": init,
        "rng": rng,
        "keep_draws": keep_draws,
    }
    keys = FactorKeys(_check.key_stem(key_added, "dncb_mf"))
    threads = _check.job_count(n_jobs)
    path, saved, interval = check_keeping(checkpoint, resume, checkpoint_interval)
    if saved is not None:
        defaults = {name: p.default for name, p in inspect.signature(dncb_mf).parameters.items()}
        arguments = saved.complete(arguments, defaults)
    settings, betas = check_settings(adata, arguments)
    if saved is not None:
        saved.check(settings, betas.beta_NM)
    _tell(betas)
    start = logg.info(f"fitting DNCB-MF to {betas.beta_NM.shape[0]} samples × {betas.beta_NM.shape[1]} genes")
    began = perf_counter()
    trace = _run(settings, betas, Keeper(path, settings, betas.beta_NM, interval), saved, threads, progress)
    adata = (adata.to_memory() if adata.isbacked else adata.copy()) if copy else adata
    summary = summarise(trace, settings, perf_counter() - began)
    write_factors(adata, keys, average(trace, keep_draws=settings.keep_draws), betas, summary)
    logg.info(f"    {summary['verdict']}")
    logg.info(
        "    finished",
        time=start,
        deep=f"added\n    {keys.embedding!r}, {keys.theta1!r}, {keys.theta2!r} (adata.obsm)\n"
        f"    {keys.phi!r} (adata.varm)\n    {keys.uns!r} (adata.uns)",
    )
    return adata if copy else None


def _run(
    settings: Settings, betas: Betas, keeper: Keeper, saved: Saved | None, n_jobs: int, progress: bool | None
) -> Trace:
    """The fit itself, with its progress bar and its checkpoints."""
    schedule = settings.schedule()
    options: dict[str, Any] = {
        "init": settings.init,
        "seed": np.random.SeedSequence(settings.rng),
        "n_jobs": n_jobs,
        "resume": None if saved is None else saved.run,
        "at_end": keeper.save,
    }
    with (
        progress_bar(schedule.most_sweeps, "DNCB-MF", unit="sweep", progress=progress) as bar,
        deferred_interrupt(keeper.path is not None) as interruption,
    ):

        def after_sweep(run):
            keeper.after_sweep(run, interruption)
            if run.log_likelihood is not None:
                bar.set_postfix_str(f"log likelihood {run.log_likelihood:,.0f}", refresh=False)
            bar.update(run.sweep - bar.n)

        return fit(settings.problem(betas.beta_NM), schedule, **options, after_sweep=after_sweep)


def _tell(betas: Betas) -> None:
    """Say once what was found in the data that a user may not know of."""
    if betas.n_exact:
        logg.warning(
            f"{betas.n_exact} values are exactly 0 or 1. The sampler takes them as they are; the log likelihood "
            "leaves them out, because the density is not finite there for shapes below 1."
        )
    if betas.n_missing or betas.n_held_out:
        logg.info(f"    {betas.n_missing} missing and {betas.n_held_out} held-out entries are integrated out")

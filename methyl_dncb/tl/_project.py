from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from scanpy import logging as logg

from .. import _check
from .._data import read_betas
from .._keys import FactorKeys
from .._progress import progress_bar
from ..model._project import project as project_samples
from ..model._schedule import Schedule
from ..model._state import Priors, Problem
from ._fitted import read_fit
from ._summarise import mean_rho
from ._write import Factors, versions, write_factors

if TYPE_CHECKING:
    from anndata import AnnData

    from ..model._trace import Draws
    from ._fitted import Fitted


def project(
    adata: AnnData,
    reference: AnnData,
    *,
    propagate: bool = False,
    n_burnin: int = 100,
    n_draws: int | None = None,
    thin: int = 10,
    min_overlap: float = 0.5,
    layer: str | None = None,
    mask: str | None = None,
    rng: np.random.Generator | int | None = None,
    n_jobs: int | None = None,
    keep_draws: bool = False,
    key: str = "dncb_mf",
    key_added: str | None = None,
    copy: bool = False,
    progress: bool | None = None,
) -> AnnData | None:
    """Place new samples on the components of an earlier fit: sample θ and ρ with φ given.

    Genes are aligned by name. Genes of the reference that the new samples lack are integrated out; genes that the
    reference lacks are ignored. The reference learns nothing from the new samples.

    Parameters
    ----------
    adata
        New samples, β in `X` or `layer`.
    reference
        An AnnData with a fit of `tl.dncb_mf`.
    propagate
        Whether to use one draw of φ (and of learned shapes) for each draw of θ, so that ρ carries the uncertainty
        of the components too; needs a reference fitted with `keep_draws=True`. Otherwise the posterior means.
    n_burnin, n_draws, thin
        Sweeps before the first draw, draws, and sweeps from one draw to the next. With φ given, chains settle
        quickly. `n_draws` is 100 by default; with `propagate` there are as many as the reference has.
    min_overlap
        The least share of the reference's genes that the new samples must have.
    layer
        Layer of `adata` with the β values; X by default.
    mask
        Name of a boolean layer of `adata`; its True entries are held out.
    rng
        Seed or generator. The same seed gives the same bits, for any `n_jobs`.
    n_jobs
        Threads; all available cores by default.
    keep_draws
        Whether to store the draws.
    key
        The fit of the reference to use.
    key_added
        Stem of the keys to write; by default the same as `key`.
    copy
        Whether to return a copy instead of writing into `adata`.
    progress
        Whether to show a progress bar; by default in terminals and notebooks.

    Returns
    -------
    None, or with `copy=True` a copy of `adata`, with the same fields as `tl.dncb_mf` sets: ρ, θ₁, θ₂ in `obsm`,
    the reference's φ in `varm` (NaN for genes it lacks), and with `keep_draws` the draws of each.
    `.uns[key_added]` holds `params`, `shape`, `scale` (as in `tl.dncb_mf`), `genes` (how many are `shared`,
    `missing` from the new samples, and `extra`), `seconds` and `versions`.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=40, n_vars=60, rng=0)
    >>> old, new = adata[:30].copy(), adata[30:, 10:].copy()
    >>> md.tl.dncb_mf(old, n_components=4, n_burnin=50, n_draws=10, thin=5, rng=0)
    >>> md.tl.project(new, old, n_draws=10, rng=0)
    >>> new.obsm["X_dncb_mf"].shape
    (10, 4)
    >>> new.uns["dncb_mf"]["genes"]
    {'shared': 50, 'missing': 10, 'extra': 0}
    """
    fitted = read_fit(reference, key)
    keys = FactorKeys(_check.key_stem(key_added, key))
    threads = _check.job_count(n_jobs)
    params = {
        "propagate": bool(propagate),
        "n_burnin": _check.whole_number("n_burnin", n_burnin, least=0),
        "n_draws": _n_draws(n_draws, fitted, propagate=propagate),
        "thin": _check.whole_number("thin", thin, least=1),
        "min_overlap": _check.number("min_overlap", min_overlap, least=0.0, most=1.0),
        "layer": layer,
        "mask": mask,
        "rng": _check.seed_words(rng),
        "keep_draws": bool(keep_draws),
        "key": key,
    }
    phi_GKS, scale_KS, shape_S2 = _components(fitted, propagate=propagate)
    rows, counts = _align_genes(adata, reference, fitted.genes, params["min_overlap"])
    betas = read_betas(adata, layer=layer, mask=mask, mask_var=rows >= 0)
    phi_MKS = phi_GKS[rows[rows >= 0]]
    logg.info(f"projecting onto {phi_MKS.shape[1]} components by {counts['shared']} shared genes")
    if counts["missing"] or counts["extra"]:
        logg.info(f"    {counts['missing']} genes are missing and integrated out, {counts['extra']} extra are ignored")
    began = perf_counter()
    schedule = Schedule(params["n_burnin"], params["n_draws"], params["thin"])
    with progress_bar(schedule.most_sweeps, "projection", unit="sweep", progress=progress) as bar:
        draws = project_samples(
            Problem(betas.beta_NM, phi_MKS.shape[1], tuple(map(float, shape_S2[0])), Priors(*fitted.prior)),
            schedule,
            phi_MKS,
            scale_KS=scale_KS,
            shape_S2=shape_S2,
            seed=np.random.SeedSequence(params["rng"]),
            n_jobs=threads,
            after_sweep=bar.update,
        )
    summary = {
        "params": params,
        "prior": np.array(fitted.prior),
        "shape": shape_S2.mean(axis=0),
        "scale": draws.scale_KCD[:, 0],
        "genes": counts,
        "seconds": perf_counter() - began,
        "versions": versions(),
    }
    if propagate and "shape_draws" in fitted.summary:
        summary["shape_draws"] = shape_S2
    adata = (adata.to_memory() if adata.isbacked else adata.copy()) if copy else adata
    write_factors(adata, keys, _factors(draws, phi_MKS, keep_draws=keep_draws), betas, summary)
    return adata if copy else None


def _n_draws(n_draws: int | None, fitted: Fitted, *, propagate: bool) -> int:
    available = fitted.summary["scale"].shape[1]
    if n_draws is None:
        return available if propagate else 100
    n_draws = _check.whole_number("n_draws", n_draws, least=1)
    if propagate and n_draws != available:
        raise ValueError(f"with propagate=True there is one draw for each of the reference's {available}: omit n_draws")
    return n_draws


def _factors(draws: Draws, phi_MKS: np.ndarray, *, keep_draws: bool) -> Factors:
    """Means, and draws where they are to be kept; a φ that was given as its mean has none."""
    theta1_NKS, theta2_NKS = draws.theta1_NKCD[:, :, 0], draws.theta2_NKCD[:, :, 0]
    means = (values.mean(axis=2, dtype=np.float64) for values in (theta1_NKS, theta2_NKS, phi_MKS))
    kept = ()
    if keep_draws:
        kept = (theta1_NKS, theta2_NKS, phi_MKS.astype(np.float32) if phi_MKS.shape[2] > 1 else None)
    return Factors(mean_rho(theta1_NKS, theta2_NKS), *means, *kept)


def _components(fitted: Fitted, *, propagate: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """φ of all genes, its scales and the shapes: every draw, or the posterior mean as the only one."""
    if propagate:
        return fitted.phi_draws.astype(np.float64), fitted.summary["scale"], fitted.shape_S2
    phi_GK = np.asarray(fitted.adata.varm[fitted.keys.phi])
    return phi_GK[:, :, None], fitted.summary["scale"].mean(axis=1, keepdims=True), fitted.shape_S2.mean(axis=0)[None]


def _align_genes(
    adata: AnnData, reference: AnnData, genes: np.ndarray, least: float
) -> tuple[np.ndarray, dict[str, int]]:
    """For each gene of `adata` its row in the reference, −1 where the fit does not have it; and how many do."""
    for name, data in (("adata", adata), ("reference", reference)):
        if not data.var_names.is_unique:
            raise ValueError(f"{name}.var_names are not unique, so genes cannot be aligned; make them unique first")
    rows = reference.var_names.get_indexer(adata.var_names)
    rows[(rows >= 0) & ~genes[rows]] = -1
    n_shared, n_genes = int((rows >= 0).sum()), int(genes.sum())
    if n_shared == 0 or n_shared < least * n_genes:
        raise ValueError(
            f"only {n_shared} of the reference's {n_genes} genes are in adata, and min_overlap asks for {least:.0%}; "
            "check that both name genes in the same way, or lower min_overlap"
        )
    return rows, {"shared": n_shared, "missing": n_genes - n_shared, "extra": adata.n_vars - n_shared}

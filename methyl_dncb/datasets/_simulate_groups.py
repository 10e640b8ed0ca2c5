from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .. import _check
from .._keys import METHYLATED, UNMETHYLATED
from ._from_factors import from_factors

if TYPE_CHECKING:
    from anndata import AnnData

# ρ inside the group and outside it: far enough apart to see, far enough from 0 and 1 to be noisy.
RHO_HYPER = (0.9, 0.15)
RHO_HYPO = (0.1, 0.85)
RHO_BACKGROUND = (0.06, 0.94)


def simulate_groups(
    n_obs: int = 120,
    n_vars: int = 400,
    n_groups: int = 3,
    *,
    genes_per_set: int | None = None,
    strength: float = 12.0,
    shape: float | tuple[float, float] = 0.75,
    missing: float = 0.0,
    coverage: float | None = None,
    rng: np.random.Generator | int | None = None,
) -> AnnData:
    """Simulate groups of samples, each with its own hyper- and hypomethylated genes.

    Every group has two gene sets: one is methylated in its samples and not in the others, one the other
    way round. The remaining genes are background, half of them unmethylated and half methylated in all
    samples. Each of these 2 × `n_groups` + 2 gene sets is a component of the truth: φ weighs its genes,
    and θ⁽¹⁾, θ⁽²⁾ say how strongly each sample is methylated and unmethylated there. β is then drawn as
    DNCB-MF has it: y⁽ʳ⁾ ~ Poisson(Σ θ⁽ʳ⁾ φ), β ~ Beta(ε₁ + y⁽¹⁾, ε₂ + y⁽²⁾).

    Parameters
    ----------
    n_obs
        Number of samples, spread over the groups as evenly as possible.
    n_vars
        Number of genes.
    n_groups
        Number of groups.
    genes_per_set
        Number of genes in each hyper- and hypomethylated set; by default two thirds of all genes are
        shared out over the sets.
    strength
        Mean of λ⁽¹⁾ + λ⁽²⁾: the larger, the less noise.
    shape
        ε of the noise: one number, or a pair (ε₁, ε₂).
    missing
        Fraction of entries set to NaN.
    coverage
        Mean number of reads per entry, at least 1. If given, reads are drawn from β into layers; missing
        entries get none.
    rng
        Seed or generator.

    Returns
    -------
    AnnData
        β in `X`, and

        - `obs["group"]`: the group of each sample,
        - `var["gene_set"]`: the set of each gene, such as `"hyper G1"`, `"hypo G2"` or `"methylated"`,
        - `obsm["truth_theta1"]`, `obsm["truth_theta2"]`, `obsm["X_truth"]`, `varm["truth_phi"]`: the
          factors, under the names a fit would use with `key_added="truth"`,
        - `uns["truth"]`: the names of the components and ε,
        - `layers["methylated"]`, `layers["unmethylated"]`: reads, if `coverage` is given.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(60, 200, missing=0.05, rng=1)
    >>> adata.shape
    (60, 200)
    >>> adata.obs["group"].value_counts().to_dict()
    {'G1': 20, 'G2': 20, 'G3': 20}
    >>> [str(name) for name in adata.uns["truth"]["components"][:3]]
    ['hyper G1', 'hypo G1', 'hyper G2']
    """
    n_obs = _check.whole_number("n_obs", n_obs, least=1)
    n_vars = _check.whole_number("n_vars", n_vars, least=1)
    n_groups = _check.whole_number("n_groups", n_groups, least=2)
    (strength,) = _check.positive_numbers("strength", strength, length=1)
    missing = _check.fraction("missing", missing, zero=True)
    shape = _check.positive_numbers("shape", shape, length=2)
    if coverage is not None:
        coverage = _check.number("coverage", coverage, least=1)
    n_sets = 2 * n_groups
    genes_per_set = _genes_per_set(genes_per_set, n_vars, n_sets)
    if n_obs < n_groups:
        raise ValueError(f"{n_obs} samples cannot fill {n_groups} groups; raise n_obs or lower n_groups.")
    rng = np.random.default_rng(rng)

    group_N = np.arange(n_obs) * n_groups // n_obs
    set_M = _gene_sets(n_vars, n_sets, genes_per_set, rng)
    theta1_NK, theta2_NK = _loadings(group_N, n_groups, strength, rng)
    # Mean 1, so that `strength` is the mean total rate; spread, so that some genes lead their set.
    weight_M = rng.gamma(4.0, 1 / 4.0, n_vars)
    phi_MK = weight_M[:, None] * (set_M[:, None] == np.arange(n_sets + 2))

    groups = [f"G{g + 1}" for g in range(n_groups)]
    components = [f"{way} {group}" for group in groups for way in ("hyper", "hypo")]
    components += ["unmethylated", "methylated"]
    adata = from_factors(theta1_NK, theta2_NK, phi_MK, shape=shape, missing=missing, components=components, rng=rng)
    adata.obs["group"] = pd.Categorical.from_codes(group_N, groups)
    adata.var["gene_set"] = pd.Categorical.from_codes(set_M, components)
    if coverage is not None:
        _add_reads(adata, coverage, rng)
    return adata


def _genes_per_set(genes_per_set: int | None, n_vars: int, n_sets: int) -> int:
    """The size of a gene set, checked to leave room for every set and the two backgrounds."""
    if genes_per_set is None:
        genes_per_set = max(1, 2 * n_vars // (3 * n_sets))
    genes_per_set = _check.whole_number("genes_per_set", genes_per_set, least=1)
    needed = n_sets * genes_per_set + 2
    if needed > n_vars:
        raise ValueError(
            f"{n_sets} sets of {genes_per_set} genes and a background need {needed} genes, "
            f"n_vars is {n_vars}; raise n_vars or lower genes_per_set."
        )
    return genes_per_set


def _gene_sets(n_vars: int, n_sets: int, genes_per_set: int, rng: np.random.Generator) -> np.ndarray:
    """The set of each gene; the last two numbers are the unmethylated and the methylated background."""
    in_sets = np.repeat(np.arange(n_sets), genes_per_set)
    background = n_sets + np.arange(n_vars - len(in_sets)) % 2
    return rng.permutation(np.concatenate([in_sets, background]))


def _loadings(
    group_N: np.ndarray, n_groups: int, strength: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """θ⁽¹⁾ and θ⁽²⁾: each sample's own total in each component, divided by the group's ρ."""
    inside_NG = group_N[:, None] == np.arange(n_groups)
    hyper_NG, hypo_NG = np.where(inside_NG, *RHO_HYPER), np.where(inside_NG, *RHO_HYPO)
    by_group = np.stack([hyper_NG, hypo_NG], axis=2).reshape(len(group_N), 2 * n_groups)
    background = np.tile(RHO_BACKGROUND, (len(group_N), 1))
    rho_NK = np.hstack([by_group, background])
    # Skewed, so that each sample speaks of some components only: without this, other factors fit as well.
    total_NK = strength * rng.gamma(0.5, 1 / 0.5, rho_NK.shape)
    return total_NK * rho_NK, total_NK * (1 - rho_NK)


def _add_reads(adata: AnnData, coverage: float, rng: np.random.Generator) -> None:
    """Reads of each entry: Poisson many, each methylated with probability β; none where β is missing."""
    observed = ~np.isnan(adata.X)
    # An observed entry was seen by at least one read.
    reads = np.where(observed, 1 + rng.poisson(coverage - 1, adata.shape), 0)
    methylated = rng.binomial(reads, np.where(observed, adata.X, 0.0))
    adata.layers[METHYLATED] = methylated.astype(np.int32)
    adata.layers[UNMETHYLATED] = (reads - methylated).astype(np.int32)

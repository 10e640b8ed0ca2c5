from __future__ import annotations

from typing import Literal, NamedTuple

import anndata as ad
import numpy as np
import pandas as pd

from .. import _check
from .._keys import METHYLATED, UNMETHYLATED
from ._from_factors import gene_names, sample_names


class Dispersion(NamedTuple):
    """What tells the paper's three settings apart."""

    dirichlet: tuple[float, float] | None  # over (unmethylated, methylated); None fixes μ at 0.5
    reversed_with: float  # probability that a region's pair is reversed
    false_methylated: float  # P(read 1 | state 0)
    false_unmethylated: float  # P(read 0 | state 1)


DISPERSIONS = {
    "low": Dispersion(None, 0.0, 0.1, 0.1),
    "medium": Dispersion((1, 1), 0.0, 0.01, 0.01),
    "high": Dispersion((10, 1), 0.1, 0.01, 0.1),
}


def epiclomal(
    dispersion: Literal["low", "medium", "high"],
    *,
    n_obs: int = 100,
    n_vars: int = 500,
    n_clones: int = 10,
    n_cells: int = 100,
    n_regions: int = 10,
    rng: np.random.Generator | int | None = None,
) -> ad.AnnData:
    """Simulate bulk samples of clones of cells, as the paper's synthetic data were made.

    Every sample is a run of its own of the Epiclomal process [deSouza2020]_:

    1. The loci fall into `n_regions` contiguous regions, of sizes Multinomial(`n_vars`; equal).
    2. Each region has a methylation probability μ: 0.5 (low dispersion), from a Dirichlet(1, 1) (medium),
       or from a Dirichlet(10, 1) over (unmethylated, methylated), with probability 0.1 reversed (high).
    3. The first clone's state at each locus is Bernoulli(μ). Each further clone copies a random earlier one
       and flips all loci of one random region, redrawn until it differs from all before it.
    4. `n_cells` cells fall to the clones with equal probability.
    5. Each cell is read once at each locus, with errors P(read 1 | state 0), P(read 0 | state 1) of
       0.1, 0.1 (low), 0.01, 0.01 (medium) and 0.01, 0.1 (high).

    Samples share the number and, roughly, the place of regions, but no clones.

    Parameters
    ----------
    dispersion
        Which of the paper's three settings.
    n_obs, n_vars
        Number of samples and of loci.
    n_clones, n_cells
        Number of clones and of cells in each sample.
    n_regions
        Number of regions.
    rng
        Seed or generator.

    Returns
    -------
    AnnData
        - `X`: β = (methylated + 0.1)/(cells + 0.2), as in the paper,
        - `layers["methylated"]`, `layers["unmethylated"]`: cells read as each,
        - `var["region"]`: the region that holds the locus in most samples,
        - `obsm["region_size"]`, `obsm["region_mu"]`: each sample's regions, their sizes and their μ,
        - `obsm["clone_cells"]`: cells in each clone,
        - `uns["epiclomal"]`: the arguments.

    References
    ----------
    .. [deSouza2020] de Souza et al., Epiclomal: probabilistic clustering of sparse single-cell DNA
       methylation data. PLOS Computational Biology 16, e1008270 (2020).

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.epiclomal("high", n_obs=20, rng=0)
    >>> adata.shape
    (20, 500)
    >>> bool((adata.layers["methylated"] + adata.layers["unmethylated"] == 100).all())
    True
    """
    if not isinstance(dispersion, str) or dispersion not in DISPERSIONS:
        raise ValueError(f"dispersion is {dispersion!r}; give one of {', '.join(DISPERSIONS)}.")
    n_obs = _check.whole_number("n_obs", n_obs, least=1)
    n_vars = _check.whole_number("n_vars", n_vars, least=1)
    n_clones = _check.whole_number("n_clones", n_clones, least=1)
    n_cells = _check.whole_number("n_cells", n_cells, least=1)
    n_regions = _check.whole_number("n_regions", n_regions, least=1)
    flippable = min(n_regions, n_vars)
    if n_clones > 2**flippable:
        raise ValueError(
            f"Flips of {flippable} regions give at most {2**flippable} clones, n_clones is {n_clones}; "
            "raise n_regions and n_vars, or lower n_clones."
        )
    rng = np.random.default_rng(rng)
    runs = [_run(DISPERSIONS[dispersion], n_vars, n_clones, n_cells, n_regions, rng) for _ in range(n_obs)]
    methylated_NM, size_NR, mu_NR, cells_NC = (np.stack(parts) for parts in zip(*runs, strict=True))
    return ad.AnnData(
        ((methylated_NM + 0.1) / (n_cells + 0.2)).astype(np.float32),
        obs=pd.DataFrame(index=sample_names(n_obs)),
        var=pd.DataFrame({"region": _usual_region(size_NR)}, index=gene_names(n_vars)),
        layers={METHYLATED: methylated_NM, UNMETHYLATED: n_cells - methylated_NM},
        obsm={"region_size": size_NR, "region_mu": mu_NR, "clone_cells": cells_NC},
        uns={
            "epiclomal": {
                "dispersion": dispersion,
                "n_clones": n_clones,
                "n_cells": n_cells,
                "n_regions": n_regions,
            }
        },
    )


def _run(
    setting: Dispersion, n_vars: int, n_clones: int, n_cells: int, n_regions: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One sample: methylated cells per locus, region sizes, region μ, cells per clone."""
    size_R = _region_sizes(n_vars, n_clones, n_regions, rng)
    mu_R = _region_mu(setting, n_regions, rng)
    first_M = rng.random(n_vars) < np.repeat(mu_R, size_R)
    flip_CM = np.repeat(_clone_flips(n_clones, size_R > 0, rng), size_R, axis=1)
    cells_C = rng.multinomial(n_cells, np.full(n_clones, 1 / n_clones))
    truly_M = cells_C @ (first_M ^ flip_CM)
    # Cells err independently, so those in the same state err binomially together.
    methylated_M = rng.binomial(truly_M, 1 - setting.false_unmethylated)
    methylated_M += rng.binomial(n_cells - truly_M, setting.false_methylated)
    return methylated_M, size_R, mu_R, cells_C


def _region_sizes(n_vars: int, n_clones: int, n_regions: int, rng: np.random.Generator) -> np.ndarray:
    """Multinomial sizes, redrawn in the rare case that too few regions have loci to tell all clones apart."""
    while True:
        size_R = rng.multinomial(n_vars, np.full(n_regions, 1 / n_regions))
        if 2 ** int((size_R > 0).sum()) >= n_clones:
            return size_R


def _region_mu(setting: Dispersion, n_regions: int, rng: np.random.Generator) -> np.ndarray:
    """The methylation probability of each region."""
    if setting.dirichlet is None:
        return np.full(n_regions, 0.5)
    pair_R2 = rng.dirichlet(setting.dirichlet, n_regions)
    methylated_R = np.where(rng.random(n_regions) < setting.reversed_with, 0, 1)
    return pair_R2[np.arange(n_regions), methylated_R]


def _clone_flips(n_clones: int, has_loci_R: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which regions are flipped in each clone, relative to the first (which has none flipped)."""
    flips = [np.zeros(len(has_loci_R), dtype=bool)]
    # A flip of a region without loci changes no state: compare where there are loci.
    seen = {flips[0].tobytes()}
    while len(flips) < n_clones:
        clone = flips[rng.integers(len(flips))].copy()
        region = rng.integers(len(has_loci_R))
        clone[region] ^= has_loci_R[region]
        if clone.tobytes() not in seen:
            seen.add(clone.tobytes())
            flips.append(clone)
    return np.stack(flips)


def _usual_region(size_NR: np.ndarray) -> pd.Categorical:
    """For each locus the region that holds it in most samples."""
    n_regions = size_NR.shape[1]
    region_NM = np.stack([np.repeat(np.arange(n_regions), size_R) for size_R in size_NR])
    votes_RM = np.stack([(region_NM == r).sum(axis=0) for r in range(n_regions)])
    return pd.Categorical.from_codes(votes_RM.argmax(axis=0), [f"region {r + 1}" for r in range(n_regions)])

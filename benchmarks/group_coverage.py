"""How often the intervals of tl.compare_groups cover the truth, by simulation.

python benchmarks/group_coverage.py [replicates]

θ, φ and β are drawn from the model, for two groups of samples whose populations have known mean ρ; the model is
fitted, its components are matched with the true ones, and 90% intervals are held against the difference between the
populations and against that between the samples. Where populations differ, the fit does not know: its prior is the
same for all samples.
"""

from __future__ import annotations

import sys

import anndata as ad
import numpy as np
import pandas as pd

import methyl_dncb as md
from methyl_dncb.model._align import match_components

SIZES = (14, 22)
# Mean ρ of the two populations in each of three components.
ALIKE = np.full((2, 3), 0.5)
DIFFERENT = np.array([[0.75, 0.5, 0.6], [0.25, 0.5, 0.4]])


def simulate(
    rng: np.random.Generator, means: np.ndarray, *, n_vars: int, strength: float
) -> tuple[ad.AnnData, np.ndarray, np.ndarray]:
    """Data, true φ, and true ρ ~ Beta(2 mean, 2 (1 − mean))."""
    group = np.repeat([0, 1], SIZES)
    theta1 = strength * rng.gamma(2 * means[group])
    theta2 = strength * rng.gamma(2 * (1 - means[group]))
    phi = rng.gamma(0.1, 10.0, (n_vars, 3))
    first, second = rng.poisson(theta1 @ phi.T), rng.poisson(theta2 @ phi.T)
    beta = rng.beta(0.75 + first, 0.75 + second).clip(1e-6, 1 - 1e-6)
    obs = pd.DataFrame({"group": np.array(["A", "B"])[group]}, index=[f"sample {i}" for i in range(len(group))])
    return ad.AnnData(beta.astype(np.float32), obs=obs), phi, theta1 / (theta1 + theta2)


def cover(seed: int, means: np.ndarray, *, n_vars: int, strength: float) -> dict[str, np.ndarray]:
    """For each target, whether the interval of each component covers the truth."""
    rng = np.random.default_rng(seed)
    adata, phi, rho = simulate(rng, means, n_vars=n_vars, strength=strength)
    options = {"n_burnin": 200, "n_draws": 100, "thin": 4, "keep_draws": True, "n_jobs": 1, "progress": False}
    md.tl.dncb_mf(adata, 3, prior=(1.0, 1 / strength, 0.1, 0.1), **options, rng=rng)
    order = match_components(adata.varm["dncb_mf_phi"], phi + 1e-9)
    in_a = adata.obs["group"].to_numpy() == "A"
    truth = {"population": means[0] - means[1], "samples": rho[in_a].mean(axis=0) - rho[~in_a].mean(axis=0)}
    covered = {}
    for target, difference in truth.items():
        md.tl.compare_groups(adata, "group", target=target, groups=["A"], rng=rng)
        table = adata.uns["compare_groups"].set_index("component").loc[order]
        covered[target] = (table["low"].to_numpy() < difference) & (difference < table["high"].to_numpy())
    return covered


def coverage(n_replicates: int, means: np.ndarray, *, n_vars: int, strength: float) -> dict[str, float]:
    """The share of intervals that cover, over replicates and components."""
    covered = [cover(seed, means, n_vars=n_vars, strength=strength) for seed in range(n_replicates)]
    return {target: float(np.mean([c[target] for c in covered])) for target in covered[0]}


if __name__ == "__main__":
    n_replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for n_vars, strength in ((45, 3.0), (120, 6.0)):
        for name, means in (("alike", ALIKE), ("different", DIFFERENT)):
            found = coverage(n_replicates, means, n_vars=n_vars, strength=strength)
            shares = ", ".join(f"{target} {share:.1%}" for target, share in found.items())
            print(f"{n_vars} genes, strength {strength}, populations {name}: {shares}", flush=True)

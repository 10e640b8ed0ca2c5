"""Figures for the tests of plots: made without a sampler, drawn under one pinned style, compared with baselines."""

import os
from pathlib import Path

import anndata as ad
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

BASELINES = Path(__file__).parent / "baseline"
# Root mean square over 0–255: other renderings of the same text stay below, a changed figure does not.
TOLERANCE = 12.0
PINNED = {"font.family": "DejaVu Sans", "text.hinting": "none", "figure.dpi": 100, "savefig.dpi": 80}


@pytest.fixture(autouse=True)
def pinned_style():
    from matplotlib import pyplot as plt

    mpl.use("Agg")
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(PINNED)
        yield
    plt.close("all")


@pytest.fixture
def looks_like(tmp_path):
    """Compare a figure with its baseline; METHYL_DNCB_WRITE_BASELINES=1 writes the baseline instead."""
    from matplotlib.testing.compare import compare_images

    def check(figure, name):
        expected = BASELINES / f"{name}.png"
        if os.environ.get("METHYL_DNCB_WRITE_BASELINES") == "1":
            figure.savefig(expected)
            return
        actual = tmp_path / f"{name}.png"
        figure.savefig(actual)
        difference = compare_images(str(expected), str(actual), tol=TOLERANCE)
        assert difference is None, difference

    return check


def made_fit(n_obs=40, n_vars=30, n_components=5, n_groups=3, *, n_draws=8, n_chains=2, rng=0):
    """An AnnData as tl.dncb_mf leaves it, drawn from made-up factors."""
    rng = np.random.default_rng(rng)
    group_N = np.arange(n_obs) * n_groups // n_obs
    centres = rng.beta(0.5, 0.5, (n_groups, n_components))
    rho = np.clip(centres[group_N] + rng.normal(0, 0.05, (n_obs, n_components)), 0.02, 0.98)
    phi = rng.gamma(0.5, 1, (n_vars, n_components))
    mean = np.clip((rho @ phi.T) / phi.sum(axis=1), 0.02, 0.98)
    adata = ad.AnnData(rng.beta(8 * mean, 8 * (1 - mean)).astype(np.float32))
    adata.obs_names = [f"sample_{i}" for i in range(n_obs)]
    adata.var_names = [f"GENE{j}" for j in range(n_vars)]
    adata.obs["tissue"] = pd.Categorical.from_codes(group_N, [f"tissue {g}" for g in range(n_groups)])
    S = n_draws * n_chains
    adata.obsm["X_dncb_mf"] = rho
    adata.varm["dncb_mf_phi"] = phi
    for name, values in (("theta1", 6 * rho), ("theta2", 6 * (1 - rho))):
        adata.obsm[f"dncb_mf_{name}"] = values
        spread = rng.gamma(20, 1 / 20, (*values.shape, S))
        adata.obsm[f"dncb_mf_{name}_draws"] = (values[:, :, None] * spread).astype(np.float32)
    adata.varm["dncb_mf_phi_draws"] = (phi[:, :, None] * rng.gamma(20, 1 / 20, (*phi.shape, S))).astype(np.float32)
    adata.uns["dncb_mf"] = {
        "params": {"n_burnin": 30, "thin": 5, "n_draws": n_draws, "n_chains": n_chains, "n_components": n_components},
        "shape": np.array([0.75, 0.75]),
        "log_likelihood": 100 * (1 - np.exp(-np.arange(6 + n_draws))) + rng.normal(0, 1, (n_chains, 6 + n_draws)),
        "sweep": np.arange(5, 5 * (7 + n_draws), 5),
        "r_hat": 1.01,
        "ess": 12.0,
    }
    return adata


@pytest.fixture
def make_fit():
    return made_fit


@pytest.fixture
def fitted():
    return made_fit()

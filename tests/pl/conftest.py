"""Figures for the tests of plots: made without a sampler, drawn under one pinned style, compared with baselines."""

import io
import os
from pathlib import Path

import anndata as ad
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from PIL import Image

BASELINES = Path(__file__).parent / "baseline"
# Images are compared as grids of mean colours: text moves by a pixel from one matplotlib to the next, figures do not.
CELLS = 24
TOLERANCE = (
    8.0  # root mean square over 0–255; matplotlib 3.9 and 3.11 differ by up to 6, mirrored figures by 14 and more
)
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


def coarse(file, *, mirrored=False):
    """An image as CELLS × CELLS mean colours."""
    image = Image.open(file).convert("RGB").resize((CELLS, CELLS), Image.Resampling.BOX)
    colours = np.asarray(image, dtype=float)
    return colours[:, ::-1] if mirrored else colours


def unlikeness(one, other):
    return np.sqrt(((one - other) ** 2).mean())


@pytest.fixture
def looks_like():
    """Compare a figure with its baseline; METHYL_DNCB_WRITE_BASELINES=1 writes the baseline instead."""

    def check(figure, name):
        expected = BASELINES / f"{name}.png"
        if os.environ.get("METHYL_DNCB_WRITE_BASELINES") == "1":
            figure.savefig(expected)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png")
        assert Image.open(drawn).size == Image.open(expected).size
        assert unlikeness(coarse(drawn), coarse(expected)) < TOLERANCE
        # The comparison itself can fail: a mirrored figure is another one.
        assert unlikeness(coarse(drawn, mirrored=True), coarse(expected)) > TOLERANCE

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

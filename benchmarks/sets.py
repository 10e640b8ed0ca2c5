"""The datasets that benchmarks run on, read from the folder that METHYL_DNCB_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

SYNTHETIC = {"low": "notdispersed", "medium": "somewhatdispersed", "high": "verydispersed"}
REAL = {"CLL": "cll_450k_beta.npz", "brain": "methped_brain_450k.npz"}
N_COMPONENTS = {"low": 10, "medium": 10, "high": 10, "CLL": 14, "brain": 14}
HOLD_OUT_SEED = 100


def load(name: str) -> np.ndarray:
    """β of one of the sets, float32."""
    if "METHYL_DNCB_DATA" not in os.environ:
        raise SystemExit("set METHYL_DNCB_DATA to the folder with authors_synthetic/ and real/")
    folder = Path(os.environ["METHYL_DNCB_DATA"])
    if name in REAL:
        return np.load(folder / "real" / REAL[name])["X"].astype(np.float32)
    file = np.load(folder / "authors_synthetic" / f"10clones_{SYNTHETIC[name]}_seed_0.npz", allow_pickle=True)
    methylated, unmethylated = file["methylated_counts"], file["unmethylated_counts"]
    return ((methylated + 0.1) / (methylated + unmethylated + 0.2)).astype(np.float32)


def hold_out(beta_NM: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """β without a tenth of its entries (NaN), and where those are; exact 0 and 1 have no density and stay."""
    held_out = np.random.default_rng(HOLD_OUT_SEED).random(beta_NM.shape) < 0.1
    held_out &= (beta_NM > 0) & (beta_NM < 1)
    return np.where(held_out, np.float32(np.nan), beta_NM), held_out

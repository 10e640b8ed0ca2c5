"""Runs of a study: what each is, and how one is made."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any

import anndata as ad
import numpy as np

from .._keys import HELD_OUT
from ..pp._hold_out import hold_out
from ._bg_nmf import bg_nmf
from ._dncb_mf import dncb_mf
from ._heldout_score import heldout_score
from ._nmf import nmf

MODELS = {"dncb_mf": dncb_mf, "bg_nmf": bg_nmf, "nmf": nmf}
RUN = ["model", "n_components", "shape", "mask", "init"]


@dataclass(frozen=True, slots=True)
class Run:
    """One fit: a setting, which mask, and which start."""

    model: str
    n_components: int
    shape: float  # NaN for models without one
    mask: int
    init: int

    @property
    def name(self) -> tuple[str, int, str, int, int]:
        """The run as a key that tells runs apart (NaN does not equal itself)."""
        return (self.model, self.n_components, repr(float(self.shape)), self.mask, self.init)

    def as_dict(self) -> dict[str, Any]:
        """The run's columns of the table."""
        return {name: getattr(self, name) for name in RUN}


@dataclass(frozen=True, slots=True)
class Study:
    """What all runs share: the model, the data, the seed, the share held out, and further arguments of the fit."""

    model: str
    beta_NM: np.ndarray
    seed: np.ndarray
    fraction: float
    arguments: dict[str, Any]  # all of them, so that a default spelled out is no other study

    @property
    def identity(self) -> dict[str, str]:
        """What must agree for two tables to be of the same study."""
        arguments = {name: np.asarray(value).tolist() for name, value in sorted(self.arguments.items())}
        return {
            "data": f"{self.beta_NM.shape[0]}x{self.beta_NM.shape[1]}-{zlib.crc32(self.beta_NM):08x}",
            "seed": "-".join(map(str, self.seed.tolist())),
            "arguments": json.dumps({"fraction": self.fraction, **arguments}),
        }

    def do(self, run: Run) -> dict[str, Any]:
        """Fit and score one run. The mask depends on its number alone, so all settings face the same ones."""
        adata = ad.AnnData(self.beta_NM)
        hold_out(adata, self.fraction, rng=np.random.default_rng(self._seed(0, run.mask)))
        arguments = dict(self.arguments)
        if run.model != "nmf":
            arguments |= {"keep_draws": True, "n_jobs": 1}
        if run.model == "dncb_mf":
            arguments["shape"] = run.shape
        MODELS[run.model](
            adata,
            run.n_components,
            mask=HELD_OUT,
            mask_var=None,
            rng=self._seed(1, run.mask, run.init),
            key_added="fit",
            progress=False,
            **arguments,
        )
        score = heldout_score(adata, key="fit", draws=None, n_jobs=1)
        return run.as_dict() | score.to_dict() | {"seconds": adata.uns["fit"]["seconds"]}

    def _seed(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=key)

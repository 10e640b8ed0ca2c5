"""Runs of a study: what each is, how one is made, and the table on disk that they land in."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anndata as ad
import numpy as np
import pandas as pd

from .._keys import HELD_OUT
from ..pp._hold_out import hold_out
from ._bg_nmf import bg_nmf
from ._dncb_mf import dncb_mf
from ._heldout_score import heldout_score
from ._nmf import nmf

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    """What all runs share: the data, the seed, the share held out, and further arguments of the fit."""

    beta_NM: np.ndarray
    seed: np.ndarray
    fraction: float
    arguments: dict[str, Any] = field(default_factory=dict)

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
        score = heldout_score(adata, key="fit", n_jobs=1)
        return run.as_dict() | score.to_dict() | {"seconds": adata.uns["fit"]["seconds"]}

    def _seed(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=key)


class Table:
    """Results, one row per run; on disk they are appended as they come, so that a study can be resumed."""

    def __init__(self, study: Study, path: Path | str | None) -> None:
        self._identity = study.identity
        self._path = None if path is None else Path(path)
        self._rows: dict[tuple, dict[str, Any]] = {}
        if self._path is not None and not self._path.absolute().parent.is_dir():
            raise FileNotFoundError(f"{self._path.absolute().parent}: no such folder for the table; make it first")
        if self._path is not None and self._path.exists():
            self._load(self._path)

    def __contains__(self, run: Run) -> bool:
        return run.name in self._rows

    def add(self, row: dict[str, Any]) -> None:
        """Take in a result, and write it at once."""
        self._rows[_run(row).name] = row
        if self._path is not None:
            line = pd.DataFrame([row | self._identity])
            line.to_csv(self._path, mode="a", header=not self._path.exists(), index=False)

    def frame(self, runs: Iterable[Run]) -> pd.DataFrame:
        """The results of the given runs, in their order."""
        return pd.DataFrame([self._rows[run.name] for run in runs])

    def _load(self, path: Path) -> None:
        text = path.read_text()
        if not text.endswith("\n"):  # stopped in the middle of a line
            path.write_text(text[: text.rfind("\n") + 1])
        found = read_table(path)
        for name, ours in self._identity.items():
            theirs = set(found[name]) - {ours}
            if theirs:
                raise ValueError(
                    f"{path} holds results with other {name} ({theirs.pop()}, now {ours}); "
                    "give another path, or the same data, rng and arguments as before"
                )
        for row in found.drop(columns=list(self._identity)).to_dict("records"):
            self._rows[_run(row).name] = row


def read_table(path: Path | str) -> pd.DataFrame:
    """The table as it stands on disk."""
    return pd.read_csv(path, float_precision="round_trip", dtype={"seed": str})


def stored_seed(path: Path | str | None) -> np.ndarray | None:
    """The seed of a table on disk, for resuming a study that was given none."""
    if path is None or not Path(path).exists():
        return None
    seeds = read_table(path)["seed"]
    return None if seeds.empty else np.array(seeds.iloc[0].split("-"), dtype=np.uint32)


def _run(row: dict[str, Any]) -> Run:
    return Run(row["model"], int(row["n_components"]), float(row["shape"]), int(row["mask"]), int(row["init"]))

"""The table that results of a study land in, in memory and on disk."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ._study import RUN, Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._study import Study

IDENTITY = ["data", "seed", "arguments"]
SCORES = ["log_ppd", "log_ppd_se"]  # what a recommendation needs


class Table:
    """Results, one row per run; on disk they are appended as they come, so that a study can be resumed."""

    def __init__(self, study: Study, path: Path | str | None) -> None:
        self._identity = study.identity
        self._path = None if path is None else Path(path)
        self._rows: dict[tuple, dict[str, Any]] = {}
        if self._path is None:
            return
        found, whole = _read(self._path)
        self._check_study(found, study.model)
        self._columns = list(found.columns) if whole else None  # none before the first row
        for row in found.drop(columns=IDENTITY, errors="ignore").to_dict("records"):
            self._rows[_run(row).name] = row
        # The file is ours now: what was cut off in the middle of a line goes, and the next row can be appended.
        with self._path.open("a") as file:
            file.truncate(len(whole.encode()))

    def __contains__(self, run: Run) -> bool:
        return run.name in self._rows

    def add(self, row: dict[str, Any]) -> None:
        """Take in a result, and write it at once."""
        self._rows[_run(row).name] = row
        if self._path is not None:
            is_first = self._columns is None
            self._columns = self._columns or [*row, *self._identity]
            line = pd.DataFrame([row | self._identity], columns=self._columns)
            line.to_csv(self._path, mode="a", header=is_first, index=False)

    def frame(self, runs: Iterable[Run]) -> pd.DataFrame:
        """The results of the given runs, in their order."""
        return pd.DataFrame([self._rows[run.name] for run in runs])

    def _check_study(self, found: pd.DataFrame, model: str) -> None:
        """Rows of another model may have other arguments; all are of the same data and seed."""
        for name, ours in self._identity.items():
            rows = found[found["model"] == model] if name == "arguments" else found
            theirs = set(rows[name]) - {ours} if len(rows) else ()
            if theirs:
                raise ValueError(
                    f"{self._path} holds results with other {name} ({theirs.pop()}, now {ours}); "
                    "give another path, or the same data, rng and arguments as before"
                )


def stored_seed(path: Path | str | None) -> np.ndarray | None:
    """The seed of a table on disk, for resuming a study that was given none."""
    found = pd.DataFrame() if path is None else _read(Path(path))[0]
    return None if found.empty else np.array(found["seed"].iloc[0].split("-"), dtype=np.uint32)


def _read(path: Path) -> tuple[pd.DataFrame, str]:
    """What stands on disk, and the text of its whole lines; nothing is changed."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; path names the file for the table")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"{path.absolute().parent}: no such folder for the table; make it first")
    text = path.read_bytes().decode(errors="replace") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if not text:
        return pd.DataFrame(columns=[*RUN, *SCORES, *IDENTITY]), whole
    try:
        found = pd.read_csv(io.StringIO(whole), float_precision="round_trip", dtype=dict.fromkeys(IDENTITY, str))
        lacking = [name for name in (*RUN, *SCORES, *IDENTITY) if name not in found]
        if lacking:
            raise ValueError(f"it has no column {lacking[0]!r}")
        found[SCORES] = found[SCORES].astype(np.float64)
        if found[[*RUN[:2], *RUN[3:], *SCORES, *IDENTITY]].isna().any(axis=None):  # only the shape may be missing
            raise ValueError("a value is missing")
        found.astype({"n_components": int, "mask": int, "init": int, "shape": float})
    except ValueError as error:  # pandas' own errors are among them
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is no table of select_components ({reason}); give another path") from error
    return found, whole


def _run(row: dict[str, Any]) -> Run:
    return Run(row["model"], int(row["n_components"]), float(row["shape"]), int(row["mask"]), int(row["init"]))

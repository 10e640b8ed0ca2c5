"""Checkpoint files: named arrays and a few facts, replaced as a whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from os import PathLike

FACTS = "facts"
NAMES = "names"
CURRENT = "current"
SUFFIXES = (".npz", ".zarr")


def check_path(path: str | PathLike[str]) -> Path:
    """The path, if its suffix names a known format."""
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise ValueError(f"a checkpoint is a .zarr or a .npz; give {path.name!r} one of these endings")
    return path


def write_checkpoint(path: Path, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    """Replace the checkpoint. Whenever this is stopped, what stands at `path` is whole: the old one or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    (_write_npz if path.suffix == ".npz" else _write_zarr)(path, arrays, json.dumps(facts))


def read_checkpoint(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and facts of a checkpoint."""
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint at {str(path)!r}")
    try:
        arrays, facts = (_read_npz if path.suffix == ".npz" else _read_zarr)(path)
        return arrays, json.loads(facts)
    except Exception as error:
        raise ValueError(f"{str(path)!r} is not a checkpoint of tl.dncb_mf: {error}") from error


def _write_npz(path: Path, arrays: dict[str, np.ndarray], facts: str) -> None:
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    try:
        with partial.open("wb") as file:
            np.savez(file, **arrays, **{FACTS: np.array(facts)})
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _read_npz(path: Path) -> tuple[dict[str, np.ndarray], str]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays, str(arrays.pop(FACTS))


def _write_zarr(path: Path, arrays: dict[str, np.ndarray], facts: str) -> None:
    """Write a group of its own; a pointer file, replaced in one step, then names it; older groups go."""
    import zarr

    name = uuid.uuid4().hex
    zarr.open_group(str(path), mode="a")
    group = zarr.open_group(str(path / name), mode="w-")
    for key, values in arrays.items():
        group[key] = np.ascontiguousarray(values)
    group.attrs.update({FACTS: facts, NAMES: list(arrays)})
    partial = path / f".{name}.partial"
    with partial.open("w") as file:
        file.write(name)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path / CURRENT)
    for old in path.iterdir():
        if old.is_dir() and old.name != name:
            shutil.rmtree(old)


def _read_zarr(path: Path) -> tuple[dict[str, np.ndarray], str]:
    import zarr

    group = zarr.open_group(str(path / (path / CURRENT).read_text()), mode="r")
    return {key: np.asarray(group[key][...]) for key in group.attrs[NAMES]}, group.attrs[FACTS]

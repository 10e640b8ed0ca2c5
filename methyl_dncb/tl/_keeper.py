"""When a fit is saved, and whether a saved one may go on."""

from __future__ import annotations

from hashlib import blake2b
from importlib.metadata import version
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _check
from .._checkpoint import check_path, read_checkpoint, write_checkpoint

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from ..model._run import Run
    from ._interrupt import Interruption
    from ._settings import Settings

PARAMS = "params."
VERSION = "methyl-dncb"
FREE = ("keep_draws",)  # does not touch the chains


class Keeper:
    """Writes a run to its checkpoint: at an interval, on Ctrl-C, and at the end."""

    def __init__(self, path: Path | None, settings: Settings, beta_NM: np.ndarray, interval: float) -> None:
        self.path = path
        self.interval = interval
        self.params = settings.params()
        self.fingerprint = fingerprint(beta_NM) if path is not None else ""
        self.saved_at = monotonic()

    def save(self, run: Run) -> None:
        """Write the run as it stands."""
        if self.path is None:
            return
        arrays, facts = _split(self.params)
        facts = {VERSION: version(VERSION), "data": self.fingerprint, "params": facts}
        write_checkpoint(self.path, run.to_arrays() | arrays, facts)
        self.saved_at = monotonic()

    def after_sweep(self, run: Run, interruption: Interruption) -> None:
        """Save if it is time to, or if the user wants to stop."""
        if interruption.happened:
            self.save(run)
            raise KeyboardInterrupt(f'stopped after sweep {run.sweep}; continue with resume="{self.path}"')
        if monotonic() - self.saved_at >= self.interval:
            self.save(run)


class Saved:
    """A checkpoint that is to be continued."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = check_path(path)
        arrays, self.facts = read_checkpoint(self.path)
        self.params = _join({name: arrays.pop(name) for name in list(arrays) if name.startswith(PARAMS)}, self.facts)
        self.run = arrays

    def complete(self, arguments: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
        """The arguments, with the checkpoint's in place of those left at their default."""
        given = {name: value for name, value in arguments.items() if not same(value, defaults[name])}
        return self.params | given

    def check(self, settings: Settings, beta_NM: np.ndarray) -> None:
        """Refuse to go on with another version, other data or other settings, and say what differs."""
        now, then = settings.params(), self.params
        differing = [
            f"{name} is {_show(now[name])}, was {_show(then[name])}"
            for name in now
            if name not in FREE
            and not same(now[name], then[name])
            and not (name == "n_draws" and now[name] > then[name])
        ]
        if self.facts[VERSION] != version(VERSION):
            differing.insert(0, f"{VERSION} is version {version(VERSION)}, was {self.facts[VERSION]}")
        if self.facts["data"] != fingerprint(beta_NM):
            differing.append(f"the β values (now {beta_NM.shape[0]} × {beta_NM.shape[1]}) are others")
        if differing:
            raise ValueError(f"the checkpoint {str(self.path)!r} is of another fit: {'; '.join(differing)}")


def check_keeping(
    checkpoint: str | PathLike[str] | None, resume: str | PathLike[str] | None, interval: float
) -> tuple[Path | None, Saved | None, float]:
    """Where to save, and what to continue; a checkpoint that exists is continued or kept, never overwritten."""
    interval = _check.number("checkpoint_interval", interval, least=0.0)
    saved = None if resume is None else Saved(resume)
    if checkpoint is None:
        return (None if saved is None else saved.path), saved, interval
    path = check_path(checkpoint)
    if path.exists() and (saved is None or path.resolve() != saved.path.resolve()):
        raise FileExistsError(f'{str(path)!r} exists already; continue it with resume="{path}", or remove it first')
    return path, saved, interval


def fingerprint(beta_NM: np.ndarray) -> str:
    """A digest of the data's shape and every bit of its values."""
    digest = blake2b(repr(beta_NM.shape).encode(), digest_size=16)
    digest.update(beta_NM.data)
    return digest.hexdigest()


def same(one: Any, other: Any) -> bool:
    """Equality, also of arrays and of what holds them."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.array_equal(one, other)
    return type(one) is type(other) and one == other


def _split(params: dict[str, Any]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and plain values of `params`; `init` may be a dict of arrays."""
    arrays, facts = {}, {}
    for name, value in params.items():
        if isinstance(value, dict):
            arrays |= {f"{PARAMS}{name}.{key}": array for key, array in value.items()}
        elif isinstance(value, np.ndarray):
            arrays[PARAMS + name] = value
        else:
            facts[name] = value
    return arrays, facts


def _join(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> dict[str, Any]:
    params = dict(facts["params"])
    for name, array in arrays.items():
        name, _, key = name.removeprefix(PARAMS).partition(".")
        if key:
            params.setdefault(name, {})[key] = array
        else:
            params[name] = array
    return params


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return "arrays"
    if isinstance(value, np.ndarray):
        return str(value.tolist()) if value.size <= 4 else f"an array of {value.size} values"
    return repr(value)

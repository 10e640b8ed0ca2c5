"""Checks of what a user passes: each returns the value in one form or says what is wrong and what would do."""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def whole_number(name: str, value: object, *, least: int) -> int:
    """An integer of at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, not {value!r} ({type(value).__name__})")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    return int(value)


def positive_numbers(name: str, value: object, *, length: int) -> tuple[float, ...]:
    """`length` finite numbers above 0; a single number is repeated."""
    values: Sequence[object] = [value] * length if isinstance(value, Real) else list(np.atleast_1d(value))
    if len(values) != length:
        raise ValueError(f"{name} takes one number or {length}, not {len(values)}")
    for number in values:
        if isinstance(number, bool | np.bool_) or not isinstance(number, Real):
            raise TypeError(f"{name} must be a number or {length} numbers, not {value!r}")
        if not (np.isfinite(number) and number > 0):
            raise ValueError(f"{name} must be above 0 and finite, not {number}")
    return tuple(float(number) for number in values)


def fraction(name: str, value: object, *, zero: bool) -> float:
    """A number below 1, and above 0 or with `zero` at least 0."""
    range_ = "[0, 1)" if zero else "(0, 1)"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number in {range_}, not {value!r}")
    if not (0 <= value < 1) or (value == 0 and not zero):
        raise ValueError(f"{name} must be a number in {range_}, not {value}")
    return float(value)


def number(name: str, value: object, *, least: float, most: float = float("inf")) -> float:
    """A finite number from `least` to `most`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, not {value!r}")
    if not (np.isfinite(value) and least <= value <= most):
        bounds = f"at least {least}" if most == float("inf") else f"from {least} to {most}"
        raise ValueError(f"{name} must be {bounds}, not {value}")
    return float(value)


def job_count(n_jobs: int | None) -> int:
    """Threads to use; None and −1 mean all cores that this process may run on."""
    if n_jobs is None or (isinstance(n_jobs, Integral) and n_jobs == -1):
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return whole_number("n_jobs", n_jobs, least=1)


def key_stem(key_added: str | None, default: str) -> str:
    """The stem of the keys to write; "/" would nest groups in a file and lose the key."""
    stem = default if key_added is None else key_added
    if not isinstance(stem, str):
        raise TypeError(f"key_added must be a string, not {type(stem).__name__}")
    if not stem or "/" in stem:
        raise ValueError(f'key_added must not be empty or contain "/", which HDF5 and Zarr keep for paths: {stem!r}')
    return stem


def seed_words(rng: object) -> np.ndarray:
    """`rng` as entropy words that can be stored and passed again as `rng` (SPEC 7).

    A generator is advanced by the call; everything else is taken as a seed, None as a fresh one.
    """
    if isinstance(rng, np.random.Generator | np.random.BitGenerator):
        return np.random.default_rng(rng).integers(2**32, size=4, dtype=np.uint32)
    if isinstance(rng, np.random.SeedSequence):
        return rng.generate_state(4)
    if isinstance(rng, np.random.RandomState):
        raise TypeError(
            "rng takes a seed or a numpy.random.Generator, not a RandomState; pass np.random.default_rng(seed)"
        )
    try:
        entropy = np.random.SeedSequence(rng).entropy
        if not isinstance(entropy, Integral):
            return np.asarray(entropy, dtype=np.uint32)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"rng takes None, a whole number of at least 0, or a Generator, not {rng!r}") from error
    entropy = int(entropy)
    words = [(entropy >> shift) & 0xFFFFFFFF for shift in range(0, max(entropy.bit_length(), 1), 32)]
    return np.array(words, dtype=np.uint32)

"""Checks of the simulators' arguments: the fact and the remedy, before any work."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np


def check_counts(*, minimum: int = 1, **counts: int) -> None:
    """Refuse any argument that is not an integer of at least `minimum`."""
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{name} is {value!r}; give an integer of at least {minimum}.")
        if value < minimum:
            raise ValueError(f"{name} is {value}; give an integer of at least {minimum}.")


def check_positive(**numbers: float) -> None:
    """Refuse any argument that is not a finite number above 0."""
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} is {value!r}; give a number above 0.")
        if not (np.isfinite(value) and value > 0):
            raise ValueError(f"{name} is {value}; give a finite number above 0.")


def check_fraction(**fractions: float) -> None:
    """Refuse any argument outside [0, 1)."""
    for name, value in fractions.items():
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} is {value!r}; give a fraction in [0, 1).")
        if not 0 <= value < 1:
            raise ValueError(f"{name} is {value}; give a fraction in [0, 1).")


def as_pair(shape: float | tuple[float, float]) -> tuple[float, float]:
    """(ε1, ε2) from one number or a pair of them."""
    pair = (shape, shape) if isinstance(shape, Real) else tuple(shape)
    if len(pair) != 2:
        raise ValueError(f"shape has {len(pair)} numbers; give one, or a pair (ε1, ε2).")
    check_positive(shape=pair[0])
    check_positive(shape=pair[1])
    return float(pair[0]), float(pair[1])

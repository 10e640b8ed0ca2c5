"""Tables of H(s) = log(e^{-s} I_v(s)) − v log(s/2), the smooth part of a Bessel function."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, ive

# H and its first two derivatives in z = log s give quintic pieces; at this step their error is about 1e-14.
LOG_LOWEST, LOG_HIGHEST, STEP = np.log(1e-4), np.log(1e9), 0.03
_MAX_TERMS = 400


def log_scaled_bessel(v: float, s: np.ndarray) -> np.ndarray:
    """H(s), by its power series where that is short and from `ive` elsewhere."""
    s = np.asarray(s, dtype=float)
    x = 0.25 * s * s
    short = x < 25.0 + 25.0 * (v + 1.0)
    with np.errstate(divide="ignore", under="ignore"):
        by_ive = np.log(ive(v, np.where(short, 1.0 + v, s))) - v * np.log(np.where(short, 2.0, s) / 2.0)
    return np.where(short, np.log(_series(v, np.where(short, x, 0.0))) - gammaln(v + 1.0) - s, by_ive)


def _series(v: float, x: np.ndarray) -> np.ndarray:
    """Σ_j x^j / (j! (v + 1)_j), all terms positive."""
    term = np.ones_like(x)
    total = np.ones_like(x)
    for j in range(1, _MAX_TERMS):
        term = term * (x / (j * (j + v)))
        total = total + term
        if np.all(term <= 1e-17 * total):
            break
    return total


def tabulate(v: float) -> np.ndarray:
    """Coefficients of H in z = log s, one row of six per cell, highest power first."""
    z = np.arange(LOG_LOWEST, LOG_HIGHEST + STEP, STEP)
    s = np.exp(z)
    here = log_scaled_bessel(v, s)
    # I_{v+1}/I_v from the two tables of logs: no overflow at either end.
    ratio = 0.5 * s * np.exp(log_scaled_bessel(v + 1.0, s) - here)
    gap = 1.0 - ratio
    first = -s * gap
    second = first + s * s * gap * (1.0 + ratio) - (2.0 * v + 1.0) * s * ratio
    return _quintic_pieces(here, first, second)


def _quintic_pieces(value: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Hermite interpolation of a function and two derivatives on an even grid."""
    f, d, c = value[:-1], first[:-1] * STEP, second[:-1] * STEP**2
    # What is left at the right end once the left end's Taylor polynomial is taken off.
    rest = value[1:] - f - d - 0.5 * c
    slope = first[1:] * STEP - d - c
    bend = second[1:] * STEP**2 - c
    scaled = [
        6.0 * rest - 3.0 * slope + 0.5 * bend,
        -15.0 * rest + 7.0 * slope - bend,
        10.0 * rest - 4.0 * slope + 0.5 * bend,
        0.5 * c,
        d,
        f,
    ]
    powers = STEP ** np.arange(5, -1, -1)
    return np.ascontiguousarray((np.array(scaled) / powers[:, None]).T)

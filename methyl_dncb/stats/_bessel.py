from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlogy
from scipy.stats import rv_discrete

from ..model._bessel import sample_bessel
from ..model._scaled_bessel import log_scaled_bessel


def bit_generator_of(random_state: np.random.Generator | np.random.RandomState) -> np.random.BitGenerator:
    """The bit generator that a SciPy distribution is to draw from."""
    if isinstance(random_state, np.random.Generator):
        return random_state.bit_generator
    return random_state._bit_generator


def _log_normaliser(v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """log Σ_j (a/2)^{2j} / (j! Γ(j + v + 1)), by groups of equal order."""
    orders, group = np.unique(v, return_inverse=True)
    out = np.empty(a.shape)
    for number, order in enumerate(orders):
        here = group.reshape(a.shape) == number
        out[here] = log_scaled_bessel(order, a[here]) + a[here]
    return out


class bessel_gen(rv_discrete):
    r"""The Bessel distribution (Yuan and Kalbfleisch, 2000).

    .. math:: P(y) = \frac{(a/2)^{2y+v}}{I_v(a)\, y!\, \Gamma(y+v+1)}, \qquad y = 0, 1, 2, \dots

    Parameters
    ----------
    v
        Order, above −1.
    a
        Argument, at least 0. At 0, all mass is on 0.

    Examples
    --------
    >>> from methyl_dncb import stats
    >>> print(stats.bessel.pmf([0, 1, 2], v=-0.25, a=2.0).round(4))
    [0.3618 0.4824 0.1378]
    >>> round(float(stats.bessel.mean(v=-0.25, a=2.0)), 4)
    0.813
    """

    def _argcheck(self, v, a):
        return (v > -1.0) & (a >= 0.0) & np.isfinite(a)

    def _logpmf(self, k, v, a):
        k, v, a = np.broadcast_arrays(k, v, a)
        return xlogy(2.0 * k, a / 2.0) - gammaln(k + 1.0) - gammaln(k + v + 1.0) - _log_normaliser(v, a)

    def _pmf(self, k, v, a):
        return np.exp(self._logpmf(k, v, a))

    def _stats(self, v, a):
        v, a = np.broadcast_arrays(np.asarray(v, dtype=float), np.asarray(a, dtype=float))
        x = a * a / 4.0
        log_norm = _log_normaliser(v, a)
        mean = x * np.exp(_log_normaliser(v + 1.0, a) - log_norm)
        second = x * x * np.exp(_log_normaliser(v + 2.0, a) - log_norm)
        return mean, second + mean - mean * mean, None, None

    def _rvs(self, v, a, size=None, random_state=None):
        v, a = (np.broadcast_to(np.asarray(p, dtype=float), size).ravel() for p in (v, a))
        out = np.empty(v.shape, dtype=np.uint32)
        x = a * a / 4.0
        sample_bessel(bit_generator_of(random_state), np.ascontiguousarray(v), x, out)
        return out.astype(np.int64).reshape(size)


bessel = bessel_gen(name="bessel", shapes="v, a")

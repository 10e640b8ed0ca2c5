from __future__ import annotations

import numpy as np
from scipy.special import hyp1f1
from scipy.stats import rv_continuous

from ..model._cumulative import cumulate
from ..model._density import DncbDensity


def _weighted_kummer(a: np.ndarray, total: np.ndarray) -> np.ndarray:
    """A(a) = ₁F₁(1; a + 1; −l)/a, which stays between 0 and 1/a however large l is."""
    # The series in 1/l is exact to rounding where SciPy's ₁F₁ begins to lose digits.
    large = total > 50.0 + 5.0 * a
    moderate = np.where(large, 1.0, total)
    term = np.where(large, 1.0 / np.where(large, total, 1.0), 0.0)
    asymptotic = np.zeros_like(term)
    for j in range(40):
        asymptotic = asymptotic + term
        term = term * np.where(large, (j + 1 - a) / np.where(large, total, 1.0), 0.0)
    return np.where(large, asymptotic, hyp1f1(1.0, a + 1.0, -moderate) / a)


class dncb_gen(rv_continuous):
    r"""The doubly non-central beta distribution (Ongaro and Orsi, 2015).

    If :math:`y_1 \sim \mathrm{Pois}(\lambda_1)` and :math:`y_2 \sim \mathrm{Pois}(\lambda_2)`, then
    :math:`\beta \sim \mathrm{Beta}(\epsilon_1 + y_1, \epsilon_2 + y_2)` is
    :math:`\mathrm{DNCB}(\epsilon_1, \epsilon_2, \lambda_1, \lambda_2)`.
    A larger :math:`\lambda_1` moves β toward **1**. (Three sentences of Schein et al. (2021) say toward
    0; their formula for the mean, and their reading of ρ, agree with the distribution as it is here.)

    Parameters
    ----------
    eps1, eps2
        Shapes, above 0.
    lam1, lam2
        Non-centralities, at least 0; the means of the two counts.

    Notes
    -----
    The density is compiled and exact to about 1e-11 (relative, or absolute below 1) for shapes between
    0.05 and 10 and non-centralities up to 1e4.

    Examples
    --------
    >>> from methyl_dncb import stats
    >>> print(stats.dncb.pdf([0.1, 0.5, 0.9], 0.75, 0.75, 4.0, 1.0).round(4))
    [0.1148 0.8258 2.0693]
    >>> round(float(stats.dncb.mean(0.75, 0.75, 4.0, 1.0)), 4)
    0.7204
    """

    def _argcheck(self, eps1, eps2, lam1, lam2):
        positive = (eps1 > 0.0) & (eps2 > 0.0) & (lam1 >= 0.0) & (lam2 >= 0.0)
        return positive & np.isfinite(eps1) & np.isfinite(eps2) & np.isfinite(lam1) & np.isfinite(lam2)

    def logpdf_from_logs(self, log_beta, log1m_beta, eps1, eps2, lam1, lam2):
        """Log density in β, given log β and log(1 − β).

        For shapes below about 0.05 much of the mass lies closer to 0 or 1 than β itself can say.
        """
        arrays = np.broadcast_arrays(log_beta, log1m_beta, eps1, eps2, lam1, lam2)
        log_b1, log_b2, *parameters = (np.ravel(p).astype(float) for p in arrays)
        beta = np.where(log_b1 < log_b2, np.exp(log_b1), -np.expm1(log_b2))
        out = self._evaluate(beta, log_b1, log_b2, *parameters)
        return np.where(self._argcheck(*parameters), out, np.nan).reshape(arrays[0].shape)[()]

    def _logpdf(self, x, eps1, eps2, lam1, lam2):
        arrays = np.broadcast_arrays(x, eps1, eps2, lam1, lam2)
        x, *parameters = (np.ravel(p).astype(float) for p in arrays)
        with np.errstate(divide="ignore"):
            out = self._evaluate(x, np.log(x), np.log1p(-x), *parameters)
        return out.reshape(arrays[0].shape)

    @staticmethod
    def _evaluate(beta, log_b1, log_b2, eps1, eps2, lam1, lam2):
        """Log densities of aligned vectors, pair of shapes by pair of shapes: each has its own tables."""
        out = np.full(beta.shape, np.nan)
        if out.size and np.all(eps1 == eps1[0]) and np.all(eps2 == eps2[0]):
            groups = [slice(None)]
        else:
            _, group = np.unique(np.column_stack([eps1, eps2]), axis=0, return_inverse=True)
            groups = [np.flatnonzero(group.ravel() == number) for number in range(group.max(initial=-1) + 1)]
        for here in groups:
            e1, e2 = eps1[here][0], eps2[here][0]
            if e1 > 0.0 and e2 > 0.0:
                part = np.empty(beta[here].size)
                DncbDensity(e1, e2).evaluate(*(p[here] for p in (beta, log_b1, log_b2, lam1, lam2)), part)
                out[here] = part
        return out

    def _pdf(self, x, eps1, eps2, lam1, lam2):
        return np.exp(self._logpdf(x, eps1, eps2, lam1, lam2))

    def _cdf(self, x, eps1, eps2, lam1, lam2):
        arrays = np.broadcast_arrays(x, eps1, eps2, lam1, lam2)
        out = np.empty(arrays[0].size)
        cumulate(*(np.ravel(p).astype(float) for p in arrays), out)
        return out.reshape(arrays[0].shape)

    def _sf(self, x, eps1, eps2, lam1, lam2):
        return self._cdf(1.0 - x, eps2, eps1, lam2, lam1)

    def _stats(self, eps1, eps2, lam1, lam2):
        eps1, eps2, lam1, lam2 = np.broadcast_arrays(*(np.asarray(p, dtype=float) for p in (eps1, eps2, lam1, lam2)))
        eps, total = eps1 + eps2, lam1 + lam2
        share = np.divide(lam1, total, out=np.zeros_like(total), where=total > 0.0)
        here, above = _weighted_kummer(eps, total), _weighted_kummer(eps + 1.0, total)
        weight = eps * here
        mean = weight * eps1 / eps + (1.0 - weight) * share
        d = (eps + 1.0) * above - weight
        v = here - above
        second = (
            eps1 * (eps1 + 1.0) * v
            + 2.0 * (eps1 + 1.0) * share * d
            + share**2 * (1.0 - (2.0 * eps + 2.0) * d - eps * (eps + 1.0) * v)
        )
        return mean, second - mean * mean, None, None

    def _rvs(self, eps1, eps2, lam1, lam2, size=None, random_state=None):
        y1 = random_state.poisson(lam1, size)
        y2 = random_state.poisson(lam2, size)
        return random_state.beta(eps1 + y1, eps2 + y2)


dncb = dncb_gen(a=0.0, b=1.0, name="dncb", shapes="eps1, eps2, lam1, lam2")

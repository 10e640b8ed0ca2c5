"""The compiled DNCB log density against a vectorised SciPy series of 250 ₁F₁ terms, on the same points.

python benchmarks/density.py
"""

from time import perf_counter

import numpy as np
from scipy.special import gammaln, hyp1f1, logsumexp, xlogy

from methyl_dncb import stats

N_TERMS = 250


def scipy_series(beta, eps1, eps2, lam1, lam2):
    """log density: Humbert's Ψ₂ as Σ_j (ε)_j/(ε₁)_j x₁^j/j! ₁F₁(ε + j; ε₂; x₂)."""
    eps = eps1 + eps2
    j = np.arange(N_TERMS)[:, None]
    x1, x2 = lam1 * beta, lam2 * (1 - beta)
    log_terms = gammaln(eps + j) - gammaln(eps) - gammaln(eps1 + j) + gammaln(eps1) - gammaln(j + 1) + xlogy(j, x1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        log_psi = logsumexp(log_terms + np.log(hyp1f1(eps + j, eps2, x2)), axis=0)
    log_norm = gammaln(eps) - gammaln(eps1) - gammaln(eps2)
    return (eps1 - 1) * np.log(beta) + (eps2 - 1) * np.log1p(-beta) + log_norm - lam1 - lam2 + log_psi


def best_of(repeats, function, *arguments):
    """The shortest of some runs, in seconds, and the result."""
    seconds = []
    for _ in range(repeats):
        began = perf_counter()
        result = function(*arguments)
        seconds.append(perf_counter() - began)
    return min(seconds), result


def main():
    rng = np.random.default_rng(0)
    print(f"{'λ':>6} {'compiled, ns':>13} {'SciPy, ns':>12} {'ratio':>8}   not finite in SciPy")
    for lam in (1.0, 10.0, 50.0, 200.0, 1000.0):
        few, many = 400, 40_000
        beta = rng.uniform(0.01, 0.99, size=many)
        lam1, lam2 = rng.uniform(0, lam, size=(2, many))
        ours, _ = best_of(5, stats.dncb.logpdf, beta, 0.75, 0.75, lam1, lam2)
        theirs, values = best_of(3, scipy_series, beta[:few], 0.75, 0.75, lam1[:few], lam2[:few])
        ours, theirs = 1e9 * ours / many, 1e9 * theirs / few
        print(f"{lam:6.0f} {ours:13.0f} {theirs:12.0f} {theirs / ours:8.0f}   {(~np.isfinite(values)).mean():.0%}")


if __name__ == "__main__":
    main()

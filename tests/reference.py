"""The sampler in plain NumPy: slow, readable, and what the compiled kernels are tested against.

β is samples × genes with NaN for missing entries; N samples, M genes, K components.
"""

import numpy as np
from scipy.special import gammaln


def bessel_pmf(v, x):
    """P(y) ∝ x^y / (y! Γ(y + v + 1)) on a support long enough to hold all its mass."""
    y = np.arange(int(np.sqrt(x) + 12 * np.sqrt(np.sqrt(x) + 1)) + 30)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_p = np.where(y > 0, y * np.log(x), 0.0) - gammaln(y + 1) - gammaln(y + v + 1)
    p = np.exp(log_p - log_p.max())
    return p / p.sum()


def draw_bessel(v, x, rng):
    p = bessel_pmf(v, x)
    return rng.choice(p.size, p=p)


def draw_counts(beta, total, theta1, theta2, phi, shape, rng):
    """γ, then y₁ and y₂, then their split over components: counts of shape (2, N, M, K)."""
    counts = np.zeros((2, *beta.shape, phi.shape[1]), dtype=np.int64)
    for i, j in zip(*np.nonzero(~np.isnan(beta)), strict=True):
        gamma = rng.gamma(sum(shape) + total[i, j])
        for r, (share, theta) in enumerate(((beta[i, j], theta1), (1 - beta[i, j], theta2))):
            weight = theta[i] * phi[j]
            y = draw_bessel(shape[r] - 1, gamma * share * weight.sum(), rng)
            counts[r, i, j] = rng.multinomial(y, weight / weight.sum())
    return counts


def sweep(beta, total, theta1, theta2, phi, shape, prior, rng):
    """One sweep; returns the new (total, θ₁, θ₂, φ)."""
    a0, b0, e0, f0 = prior
    observed = (~np.isnan(beta)).astype(float)
    counts = draw_counts(beta, total, theta1, theta2, phi, shape, rng)
    rate = b0 + observed @ phi
    theta1, theta2 = (rng.gamma(a0 + counts[r].sum(axis=1)) / rate for r in range(2))
    phi = rng.gamma(e0 + counts.sum(axis=(0, 1))) / (f0 + observed.T @ (theta1 + theta2))
    return counts.sum(axis=(0, 3)), theta1, theta2, phi


def simulate(n_obs, n_vars, n_components, shape, prior, missing, rng):
    """A draw from the joint distribution: (β, total, θ₁, θ₂, φ), with β missing completely at random."""
    a0, b0, e0, f0 = prior
    theta1, theta2 = rng.gamma(a0, 1 / b0, size=(2, n_obs, n_components))
    phi = rng.gamma(e0, 1 / f0, size=(n_vars, n_components))
    y1, y2 = rng.poisson(theta1 @ phi.T), rng.poisson(theta2 @ phi.T)
    beta = rng.beta(shape[0] + y1, shape[1] + y2).astype(np.float32)
    hidden = rng.random(beta.shape) < missing
    beta[hidden] = np.nan
    return beta, np.where(hidden, 0, y1 + y2), theta1, theta2, phi

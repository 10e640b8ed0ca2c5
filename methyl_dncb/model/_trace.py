"""What chains leave behind: normalised draws, log likelihoods, and how the burn-in ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# θ of an unused component can lie below float32's range; ρ = θ₁/(θ₁ + θ₂) must stay defined.
SMALLEST = np.finfo(np.float32).tiny


@dataclass(slots=True)
class Draws:
    """Draws of θ and φ in float32, and the scales c that were taken out of them, on axes chains × draws.

    θ and φ are only known up to θ_k · c, φ_k / c. Here every φ_k has mean 1 over the genes of the fit, so that
    draws can be averaged; λ = Σ_k θ_k φ_k and ρ are what they were.
    """

    theta1_NKCD: np.ndarray
    theta2_NKCD: np.ndarray
    phi_MKCD: np.ndarray
    scale_KCD: np.ndarray

    @classmethod
    def room_for(cls, dims: tuple[int, int, int], n_chains: int, n_draws: int) -> Draws:
        """Uninitialised arrays for a fit of N samples, M genes and K components."""
        N, M, K = dims
        each = (K, n_chains, n_draws)
        return cls(
            *(np.empty((rows, *each), dtype=np.float32) for rows in (N, N, M)),
            scale_KCD=np.empty(each),
        )

    def arrays(self) -> tuple[np.ndarray, ...]:
        """All four arrays; draws are on the last axis."""
        return self.theta1_NKCD, self.theta2_NKCD, self.phi_MKCD, self.scale_KCD

    def record(self, chain: int, draw: int, factors: tuple[np.ndarray, ...], scale_K: np.ndarray | None = None) -> None:
        """Keep (θ₁, θ₂, φ), normalised by the mean of φ or by a given scale."""
        theta1_NK, theta2_NK, phi_MK = factors
        scale_K = phi_MK.mean(axis=0) if scale_K is None else scale_K
        self.scale_KCD[:, chain, draw] = scale_K
        np.maximum(theta1_NK * scale_K, SMALLEST, out=self.theta1_NKCD[:, :, chain, draw], casting="same_kind")
        np.maximum(theta2_NK * scale_K, SMALLEST, out=self.theta2_NKCD[:, :, chain, draw], casting="same_kind")
        np.divide(phi_MK, scale_K, out=self.phi_MKCD[:, :, chain, draw], casting="same_kind")

    def reorder(self, chain: int, draws: int | slice, order: np.ndarray) -> None:
        """Give the components of some draws of a chain a new order, in place."""
        for values in (self.theta1_NKCD, self.theta2_NKCD, self.phi_MKCD):
            values[:, :, chain, draws] = values[:, order, chain, draws]
        self.scale_KCD[:, chain, draws] = self.scale_KCD[order, chain, draws]


@dataclass(frozen=True, slots=True)
class Burnin:
    """How the burn-in ended: its length, and R-hat of each chain's log likelihood with itself (NaN if not asked)."""

    n_sweeps: int
    r_hat_C: np.ndarray
    stationary: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """What a fit returns: matched draws, the traces of log likelihood and shapes, stability, burn-in."""

    draws: Draws
    sweep_E: np.ndarray
    log_likelihood_CE: np.ndarray
    shape_CE2: np.ndarray
    stability_K: np.ndarray
    burnin: Burnin

    @property
    def n_chains(self) -> int:
        """Chains."""
        return self.log_likelihood_CE.shape[0]

    @property
    def n_draws(self) -> int:
        """Kept draws per chain."""
        return self.draws.scale_KCD.shape[2]

    @property
    def theta1_NKS(self) -> np.ndarray:
        """Draws of θ₁, chain after chain."""
        return _chain_after_chain(self.draws.theta1_NKCD)

    @property
    def theta2_NKS(self) -> np.ndarray:
        """Draws of θ₂, chain after chain."""
        return _chain_after_chain(self.draws.theta2_NKCD)

    @property
    def phi_MKS(self) -> np.ndarray:
        """Draws of φ, chain after chain."""
        return _chain_after_chain(self.draws.phi_MKCD)

    @property
    def scale_KS(self) -> np.ndarray:
        """Scales taken out of φ, chain after chain."""
        return _chain_after_chain(self.draws.scale_KCD)

    @property
    def shape_S2(self) -> np.ndarray:
        """Shapes that belong to the draws, chain after chain."""
        return self.shape_CE2[:, -self.n_draws :].reshape(-1, 2)


def _chain_after_chain(values: np.ndarray) -> np.ndarray:
    return values.reshape(*values.shape[:-2], -1)

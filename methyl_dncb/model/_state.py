"""The records that the sampler passes around.

Dimension letters, here and in the kernels: N samples, M genes, K components, S draws (over all chains),
C chains, E evaluations of the log likelihood. `theta1_NK` is therefore samples × components.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ._blocks import column_blocks, row_blocks


@dataclass(frozen=True, slots=True)
class Priors:
    """Gamma priors: θ ~ Gamma(a0, rate b0), φ ~ Gamma(e0, rate f0) (Eqs. 6 and 7)."""

    a0: float = 0.1
    b0: float = 0.1
    e0: float = 0.1
    f0: float = 0.1


@dataclass(frozen=True, slots=True)
class Problem:
    """What a chain conditions on: β (NaN where missing or held out), shapes and priors."""

    beta_NM: np.ndarray
    n_components: int
    shape: tuple[float, float]
    priors: Priors = field(default_factory=Priors)

    def __post_init__(self) -> None:
        if self.beta_NM.dtype != np.float32 or not self.beta_NM.flags.c_contiguous:
            raise TypeError("beta_NM must be a C-contiguous float32 array")


@dataclass(slots=True)
class State:
    """Everything that one chain changes; `total_NM` holds y₁ + y₂, all that a sweep needs of the last one."""

    theta1_NK: np.ndarray
    theta2_NK: np.ndarray
    phi_MK: np.ndarray
    phi_KM: np.ndarray  # the same φ in float32, transposed: what the kernel's inner loops read
    total_NM: np.ndarray
    row_generators: list[np.random.BitGenerator]
    column_generators: list[np.random.BitGenerator]

    @classmethod
    def at(
        cls,
        factors: tuple[np.ndarray, np.ndarray, np.ndarray],
        shape: tuple[int, int],
        seed: np.random.SeedSequence,
    ) -> State:
        """A state with the given (θ₁, θ₂, φ as genes × components), no counts, and fresh generators."""
        theta1, theta2, phi = (np.array(a, dtype=np.float64, order="C") for a in factors)
        n_rows, n_columns = len(row_blocks(*shape)), len(column_blocks(shape[1]))
        generators = [np.random.SFC64(child) for child in seed.spawn(n_rows + n_columns)]
        return cls(
            theta1_NK=theta1,
            theta2_NK=theta2,
            phi_MK=phi,
            phi_KM=np.ascontiguousarray(phi.T, dtype=np.float32),
            total_NM=np.zeros(shape, dtype=np.uint32),
            row_generators=generators[:n_rows],
            column_generators=generators[n_rows:],
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """What a fit returns: the kept draws of all chains, one after the other, and the log likelihoods."""

    theta1_NKS: np.ndarray
    theta2_NKS: np.ndarray
    phi_MKS: np.ndarray
    log_likelihood_CE: np.ndarray
    n_chains: int

    @property
    def n_draws(self) -> int:
        """Kept draws per chain."""
        return self.phi_MKS.shape[2] // self.n_chains

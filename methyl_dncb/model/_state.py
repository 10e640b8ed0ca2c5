"""The records that the sampler passes around.

Letters, here and in the kernels: N samples, M genes, K components, C chains, D draws of one chain, S draws of
all chains (chain after chain), E evaluations of the log likelihood. `theta1_NK` is samples × components.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ._bessel import BesselSampler
from ._blocks import column_blocks, row_blocks

Shape = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Priors:
    """Gamma priors: θ ~ Gamma(a0, rate b0), φ ~ Gamma(e0, rate f0) (Eqs. 6, 7); learned ε ~ Gamma(s0, rate t0)."""

    a0: float = 0.1
    b0: float = 0.1
    e0: float = 0.1
    f0: float = 0.1
    s0: float = 1.0
    t0: float = 1.0


@dataclass(frozen=True, slots=True)
class Problem:
    """What a chain conditions on: β (NaN where missing or held out), shapes and priors.

    With `learn_shape`, the shapes are where chains start and every sweep draws them anew.
    """

    beta_NM: np.ndarray
    n_components: int
    shape: Shape
    priors: Priors = field(default_factory=Priors)
    learn_shape: bool = False

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
    shape_generator: np.random.BitGenerator
    shape: Shape
    bessel: tuple[BesselSampler, BesselSampler] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.set_shape(self.shape)

    def set_shape(self, shape: Shape) -> None:
        """Move ε, and the tables of Bessel variates with it."""
        self.shape = shape
        first = BesselSampler(shape[0] - 1.0)
        self.bessel = (first, first if shape[0] == shape[1] else BesselSampler(shape[1] - 1.0))

    @classmethod
    def at(
        cls,
        factors: tuple[np.ndarray, np.ndarray, np.ndarray],
        dims: tuple[int, int],
        seed: np.random.SeedSequence,
        shape: Shape,
    ) -> State:
        """A state with the given (θ₁, θ₂, φ as genes × components), no counts, and fresh generators."""
        theta1, theta2, phi = (np.array(a, dtype=np.float64, order="C") for a in factors)
        n_rows, n_columns = len(row_blocks(*dims)), len(column_blocks(dims[1]))
        generators = [np.random.SFC64(child) for child in seed.spawn(n_rows + n_columns + 1)]
        return cls(
            theta1_NK=theta1,
            theta2_NK=theta2,
            phi_MK=phi,
            phi_KM=np.ascontiguousarray(phi.T, dtype=np.float32),
            total_NM=np.zeros(dims, dtype=np.uint32),
            row_generators=generators[:n_rows],
            column_generators=generators[n_rows:-1],
            shape_generator=generators[-1],
            shape=shape,
        )

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Every bit of the state, as arrays that a file can hold."""
        generators = [*self.row_generators, *self.column_generators, self.shape_generator]
        return {
            "theta1_NK": self.theta1_NK,
            "theta2_NK": self.theta2_NK,
            "phi_MK": self.phi_MK,
            "phi_KM": self.phi_KM,
            "total_NM": self.total_NM,
            "shape": np.array(self.shape),
            "generators": np.array([_generator_words(generator) for generator in generators]),
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> State:
        """The state that `to_arrays` described."""
        generators = [_generator_from(words) for words in arrays["generators"]]
        n_rows = len(row_blocks(*arrays["total_NM"].shape))
        names = ("theta1_NK", "theta2_NK", "phi_MK", "phi_KM", "total_NM")
        return cls(
            **{name: np.ascontiguousarray(arrays[name]) for name in names},
            row_generators=generators[:n_rows],
            column_generators=generators[n_rows:-1],
            shape_generator=generators[-1],
            shape=tuple(map(float, arrays["shape"])),
        )


def _generator_words(generator: np.random.BitGenerator) -> np.ndarray:
    state = generator.state
    return np.array([*state["state"]["state"], state["has_uint32"], state["uinteger"]], dtype=np.uint64)


def _generator_from(words: np.ndarray) -> np.random.BitGenerator:
    generator = np.random.SFC64()
    generator.state = {
        "bit_generator": "SFC64",
        "state": {"state": np.array(words[:-2], dtype=np.uint64)},
        "has_uint32": int(words[-2]),
        "uinteger": int(words[-1]),
    }
    return generator

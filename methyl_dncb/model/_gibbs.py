"""The Gibbs sampler: start, sweep, evaluate."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ._bessel import BesselSampler
from ._blocks import column_blocks, row_blocks
from ._density import DncbDensity
from ._state import State
from ._sweep import draw_phi_block, sweep_block

if TYPE_CHECKING:
    from ._blocks import Workers
    from ._start import Factors
    from ._state import Problem

# Sweeps over the counts alone, so that they match the starting factors before those are first drawn.
COUNT_SWEEPS = 5


class Gibbs:
    """The sampler for one problem; a chain is a `State` that `sweep` moves on."""

    def __init__(self, problem: Problem, workers: Workers) -> None:
        (N, M), K = problem.beta_NM.shape, problem.n_components
        self.problem = problem
        self.workers = workers
        self.row_blocks = row_blocks(N, M)
        self.column_blocks = column_blocks(M)
        self.any_missing = any(np.isnan(problem.beta_NM[block.slice]).any() for block in self.row_blocks)
        self.bessel = tuple(BesselSampler(eps - 1.0) for eps in problem.shape)
        self._counts_WMK = np.zeros((workers.n_workers, M, K), dtype=np.uint32)

    @cached_property
    def density(self) -> DncbDensity:
        """The log density at the problem's shapes; sweeps do without it."""
        return DncbDensity(*self.problem.shape)

    def start(self, factors: Factors, seed: np.random.SeedSequence) -> State:
        """A state at the given factors, with counts drawn to match them."""
        state = State.at(factors, self.problem.beta_NM.shape, seed)
        for _ in range(COUNT_SWEEPS):
            self._sweep_rows(state, draw_theta=False)
        return state

    def sweep(self, state: State) -> None:
        """One full sweep, in place: counts and θ by blocks of rows, then φ by blocks of columns."""
        counts_MK = self._sweep_rows(state, draw_theta=True)
        self._draw_phi(state, counts_MK)

    def _sweep_rows(self, state: State, *, draw_theta: bool) -> np.ndarray:
        beta, prior = self.problem.beta_NM, self.problem.priors
        phi_sum_K = state.phi_MK.sum(axis=0)
        self._counts_WMK[...] = 0

        def sweep_blocks(blocks, worker):
            for block in blocks:
                rows = block.slice
                sweep_block(
                    beta[rows],
                    state.total_NM[rows],
                    state.theta1_NK[rows],
                    state.theta2_NK[rows],
                    state.phi_KM,
                    state.phi_MK,
                    phi_sum_K,
                    self._counts_WMK[worker],
                    *self.bessel,
                    prior.a0,
                    prior.b0,
                    state.row_generators[block.number],
                    draw_theta,
                )

        self.workers.share(sweep_blocks, self.row_blocks)
        # Whole numbers: the sum does not depend on which worker took which block.
        return self._counts_WMK.sum(axis=0, dtype=np.uint32)

    def _draw_phi(self, state: State, counts_MK: np.ndarray) -> None:
        beta, prior = self.problem.beta_NM, self.problem.priors
        theta_sum_NK = state.theta1_NK + state.theta2_NK
        exposure_K = theta_sum_NK.sum(axis=0)

        def draw_blocks(blocks, _worker):
            for block in blocks:
                draw_phi_block(
                    beta,
                    self.any_missing,
                    theta_sum_NK,
                    exposure_K,
                    counts_MK,
                    state.phi_MK,
                    state.phi_KM,
                    block.start,
                    block.stop,
                    prior.e0,
                    prior.f0,
                    state.column_generators[block.number],
                )

        self.workers.share(draw_blocks, self.column_blocks)

    def log_likelihood(self, state: State) -> float:
        """Σ log DNCB over the observed entries inside (0, 1), with the counts integrated out (Eq. 1)."""
        sums = np.empty(len(self.row_blocks))

        def sum_blocks(blocks, _worker):
            for block in blocks:
                rows = block.slice
                sums[block.number] = self.density.sum_block(
                    self.problem.beta_NM[rows], state.theta1_NK[rows], state.theta2_NK[rows], state.phi_MK
                )

        self.workers.share(sum_blocks, self.row_blocks)
        return float(sums.sum())

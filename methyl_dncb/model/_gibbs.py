"""The Gibbs sampler: start, sweep, evaluate. Chains are independent states that share out one pool of workers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ._blocks import column_blocks, row_blocks
from ._density import DncbDensity
from ._shapes import Histograms, draw_shape, sum_logs
from ._state import State
from ._sweep import draw_phi_block, sweep_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._blocks import Workers
    from ._start import Factors
    from ._state import Problem

# Sweeps over the counts alone, so that they match the starting factors before those are first drawn.
COUNT_SWEEPS = 5

# Chains with fixed shapes share one density; building it takes milliseconds.
_density_at = lru_cache(maxsize=1)(DncbDensity)


class Gibbs:
    """The sampler for one problem; a chain is a `State` that `sweep` moves on."""

    def __init__(self, problem: Problem, workers: Workers) -> None:
        N, M = problem.beta_NM.shape
        self.problem = problem
        self.workers = workers
        self.row_blocks = row_blocks(N, M)
        self.column_blocks = column_blocks(M)
        self.any_missing = any(np.isnan(problem.beta_NM[block.slice]).any() for block in self.row_blocks)
        self._sum_logs = sum_logs(problem.beta_NM) if problem.learn_shape else (0.0, 0.0)

    def start(self, factors: Factors, seed: np.random.SeedSequence) -> State:
        """A state at the given factors, with counts drawn to match them."""
        state = State.at(factors, self.problem.beta_NM.shape, seed, self.problem.shape)
        for _ in range(COUNT_SWEEPS):
            self._sweep_rows([state], draw_theta=False)
        return state

    def sweep(self, *states: State) -> None:
        """One full sweep of each chain, in place: counts and θ by blocks of rows, then ε, then φ by columns."""
        counts_CMK, histograms = self._sweep_rows(states)
        if self.problem.learn_shape:
            for state, counts in zip(states, histograms, strict=True):
                priors, generator = self.problem.priors, state.shape_generator
                state.set_shape(draw_shape(state.shape, counts, self._sum_logs, priors, generator))
        self._draw_phi(states, counts_CMK)

    def sweep_theta(self, state: State) -> None:
        """A sweep that leaves φ and ε as they are."""
        self._sweep_rows([state])

    def _sweep_rows(self, states: Sequence[State], *, draw_theta: bool = True) -> tuple[np.ndarray, list[Histograms]]:
        """Counts and θ; what φ and ε need to know of the counts: allocation sums and histograms of each chain."""
        beta, prior = self.problem.beta_NM, self.problem.priors
        phi_sum_CK = [state.phi_MK.sum(axis=0) for state in states]
        n_workers = self.workers.n_workers
        counts_WCMK = np.zeros((n_workers, len(states), *states[0].phi_MK.shape), dtype=np.uint32)
        histograms_WC = [[Histograms() for _ in states] for _ in range(n_workers)]

        def sweep_blocks(items, worker):
            most_rows = max(block.stop - block.start for block in self.row_blocks)
            first = np.empty((most_rows, beta.shape[1]), dtype=np.uint32) if self.problem.learn_shape else None
            for chain, block in items:
                state, rows = states[chain], block.slice
                first_here = None if first is None else first[: rows.stop - rows.start]
                sweep_block(
                    beta[rows],
                    state.total_NM[rows],
                    state.theta1_NK[rows],
                    state.theta2_NK[rows],
                    state.phi_KM,
                    state.phi_MK,
                    phi_sum_CK[chain],
                    counts_WCMK[worker, chain],
                    *state.bessel,
                    prior.a0,
                    prior.b0,
                    state.row_generators[block.number],
                    draw_theta,
                    first_here,
                )
                if first_here is not None:
                    histograms_WC[worker][chain].add(beta[rows], first_here, state.total_NM[rows])

        self._share(sweep_blocks, len(states), self.row_blocks)
        # Whole numbers: sums do not depend on which worker took which block.
        for others in histograms_WC[1:]:
            for mine, other in zip(histograms_WC[0], others, strict=True):
                mine.merge(other)
        return counts_WCMK.sum(axis=0, dtype=np.uint32), histograms_WC[0]

    def _draw_phi(self, states: Sequence[State], counts_CMK: np.ndarray) -> None:
        beta, prior = self.problem.beta_NM, self.problem.priors
        theta_sum_CNK = [state.theta1_NK + state.theta2_NK for state in states]
        exposure_CK = [theta_sum_NK.sum(axis=0) for theta_sum_NK in theta_sum_CNK]

        def draw_blocks(items, _worker):
            for chain, block in items:
                state = states[chain]
                draw_phi_block(
                    beta,
                    self.any_missing,
                    theta_sum_CNK[chain],
                    exposure_CK[chain],
                    counts_CMK[chain],
                    state.phi_MK,
                    state.phi_KM,
                    block.start,
                    block.stop,
                    prior.e0,
                    prior.f0,
                    state.column_generators[block.number],
                )

        self._share(draw_blocks, len(states), self.column_blocks)

    def _share(self, work, n_chains, blocks) -> None:
        """Share out the blocks of all chains at once: no worker waits for the end of one chain."""
        self.workers.share(work, [(chain, block) for chain in range(n_chains) for block in blocks])

    def log_likelihood(self, state: State) -> float:
        """Σ log DNCB over the observed entries inside (0, 1), with the counts integrated out (Eq. 1)."""
        sums = np.empty(len(self.row_blocks))
        density = _density_at(*state.shape)

        def sum_blocks(blocks, _worker):
            for block in blocks:
                rows = block.slice
                sums[block.number] = density.sum_block(
                    self.problem.beta_NM[rows], state.theta1_NK[rows], state.theta2_NK[rows], state.phi_MK
                )

        self.workers.share(sum_blocks, self.row_blocks)
        return float(sums.sum())

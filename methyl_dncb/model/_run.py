"""Chains on their way: everything that a fit changes, one sweep at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._align import align_draws
from ._schedule import AUTO_MOST, halves_r_hat, is_settled
from ._start import draw_from_prior, factorise_kl
from ._state import State
from ._trace import Burnin, Draws, Trace

if TYPE_CHECKING:
    from ._gibbs import Gibbs
    from ._schedule import Schedule
    from ._start import Factors


@dataclass(slots=True)
class Run:
    """Chains that advance together, and what they have left so far; all of it fits into a checkpoint."""

    schedule: Schedule
    states: list[State]
    draws: Draws
    sweep: int  # sweeps done by every chain
    n_burnin: int | None  # None for as long as its end is open
    sweep_E: list[int]
    log_likelihood_EC: list[np.ndarray]
    shape_EC2: list[np.ndarray]

    @classmethod
    def begin(cls, gibbs: Gibbs, schedule: Schedule, init: str | Factors, seed: np.random.SeedSequence) -> Run:
        """Start every chain, each from a seed of its own."""
        states = [_start_chain(gibbs, init, child) for child in seed.spawn(schedule.n_chains)]
        draws = _room(gibbs, schedule)
        return cls(schedule, states, draws, 0, schedule.n_burnin, [], [], [])

    @property
    def n_kept(self) -> int:
        """Draws kept so far, per chain."""
        done = 0 if self.n_burnin is None else (self.sweep - self.n_burnin) // self.schedule.thin
        return max(done, 0)

    @property
    def is_finished(self) -> bool:
        """Whether all draws have been kept."""
        return self.n_kept >= self.schedule.n_draws

    @property
    def log_likelihood(self) -> float | None:
        """The latest log likelihood, averaged over chains."""
        return float(self.log_likelihood_EC[-1].mean()) if self.log_likelihood_EC else None

    def advance(self, gibbs: Gibbs) -> None:
        """One sweep of every chain, and what is to be kept of it."""
        gibbs.sweep(*self.states)
        self.sweep += 1
        if not self.schedule.is_evaluated(self.sweep, self.n_burnin):
            return
        self.sweep_E.append(self.sweep)
        self.log_likelihood_EC.append(np.array([gibbs.log_likelihood(state) for state in self.states]))
        self.shape_EC2.append(np.array([state.shape for state in self.states]))
        if self.n_burnin is None:
            settled = self.schedule.may_settle(self.sweep) and is_settled(np.array(self.log_likelihood_EC).T)
            self.n_burnin = self.sweep if settled or self.sweep >= AUTO_MOST else None
        elif self.sweep > self.n_burnin:
            for chain, state in enumerate(self.states):
                self.draws.record(chain, self.n_kept - 1, (state.theta1_NK, state.theta2_NK, state.phi_MK))

    def finish(self) -> Trace:
        """The trace of a finished run, its components matched; the run's own draws are reordered with it."""
        log_likelihood_CE = np.array(self.log_likelihood_EC).T
        burnin = Burnin(self.n_burnin, np.full(len(self.states), np.nan), stationary=False)
        if self.schedule.n_burnin is None:
            of_burnin = log_likelihood_CE[:, : -self.schedule.n_draws]
            burnin = Burnin(self.n_burnin, halves_r_hat(of_burnin), stationary=is_settled(of_burnin))
        return Trace(
            self.draws,
            sweep_E=np.array(self.sweep_E),
            log_likelihood_CE=log_likelihood_CE,
            shape_CE2=np.array(self.shape_EC2).swapaxes(0, 1),
            stability_K=align_draws(self.draws),
            burnin=burnin,
        )

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Everything, as arrays by name; draws only as far as there are any."""
        arrays = {
            f"chain{chain}.{name}": values
            for chain, state in enumerate(self.states)
            for name, values in state.to_arrays().items()
        }
        for number, values in enumerate(self.draws.arrays()):
            arrays[f"draws.{number}"] = values[..., : self.n_kept]
        arrays["sweep"] = np.array([self.sweep, -1 if self.n_burnin is None else self.n_burnin])
        arrays["sweep_E"] = np.array(self.sweep_E, dtype=np.int64)
        n_evaluated, n_chains = len(self.sweep_E), len(self.states)
        arrays["log_likelihood_EC"] = np.array(self.log_likelihood_EC).reshape(n_evaluated, n_chains)
        arrays["shape_EC2"] = np.array(self.shape_EC2).reshape(n_evaluated, n_chains, 2)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray], gibbs: Gibbs, schedule: Schedule) -> Run:
        """The run that `to_arrays` described, with room for the draws that `schedule` asks for."""
        states = []
        for chain in range(schedule.n_chains):
            prefix = f"chain{chain}."
            of_chain = {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}
            states.append(State.from_arrays(of_chain))
        draws = _room(gibbs, schedule)
        for number, values in enumerate(draws.arrays()):
            kept = arrays[f"draws.{number}"]
            values[..., : kept.shape[-1]] = kept
        sweep, n_burnin = map(int, arrays["sweep"])
        return cls(
            schedule,
            states,
            draws,
            sweep,
            None if n_burnin < 0 else n_burnin,
            arrays["sweep_E"].tolist(),
            list(arrays["log_likelihood_EC"]),
            list(arrays["shape_EC2"]),
        )


def _start_chain(gibbs: Gibbs, init: str | Factors, seed: np.random.SeedSequence) -> State:
    start_seed, sweep_seed = seed.spawn(2)
    rng = np.random.default_rng(start_seed)
    if isinstance(init, str):
        init = factorise_kl(gibbs.problem, rng, gibbs.workers) if init == "nmf" else draw_from_prior(gibbs.problem, rng)
    return gibbs.start(init, sweep_seed)


def _room(gibbs: Gibbs, schedule: Schedule) -> Draws:
    dims = (*gibbs.problem.beta_NM.shape, gibbs.problem.n_components)
    return Draws.room_for(dims, schedule.n_chains, schedule.n_draws)

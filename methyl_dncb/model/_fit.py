"""Run chains and collect what they leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._align import align_draws
from ._blocks import Workers
from ._gibbs import Gibbs
from ._start import draw_from_prior, factorise_kl
from ._state import Trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._start import Factors
    from ._state import Problem


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long chains run: burn-in, then `n_draws` draws `thin` sweeps apart, `n_chains` times."""

    n_burnin: int = 1000
    n_draws: int = 100
    thin: int = 20
    n_chains: int = 1

    @property
    def n_sweeps(self) -> int:
        """Sweeps of one chain."""
        return self.n_burnin + self.n_draws * self.thin

    def is_evaluated(self, sweep: int) -> bool:
        """Whether the log likelihood is taken after this sweep (counted from 1): every `thin` sweeps."""
        return (self.n_sweeps - sweep) % self.thin == 0

    @property
    def n_evaluations(self) -> int:
        """Log likelihoods of one chain; the last `n_draws` belong to the draws."""
        return -(-self.n_sweeps // self.thin)


def fit(
    problem: Problem,
    schedule: Schedule,
    *,
    init: str | Factors = "nmf",
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    report: Callable[[float | None], None] = lambda _log_likelihood: None,
) -> Trace:
    """Run `schedule.n_chains` chains one after the other, each over all workers.

    `report` is called after every sweep, with the log likelihood where it was evaluated.
    """
    (N, M), K = problem.beta_NM.shape, problem.n_components
    S = schedule.n_chains * schedule.n_draws
    trace = Trace(
        theta1_NKS=np.empty((N, K, S), dtype=np.float32),
        theta2_NKS=np.empty((N, K, S), dtype=np.float32),
        phi_MKS=np.empty((M, K, S), dtype=np.float32),
        log_likelihood_CE=np.empty((schedule.n_chains, schedule.n_evaluations)),
        n_chains=schedule.n_chains,
    )
    with Workers(n_jobs) as workers:
        gibbs = Gibbs(problem, workers)
        for chain, chain_seed in enumerate(seed.spawn(schedule.n_chains)):
            _run_chain(gibbs, schedule, init, chain, chain_seed, trace, report)
    align_draws(trace)
    return trace


def _run_chain(
    gibbs: Gibbs,
    schedule: Schedule,
    init: str | Factors,
    chain: int,
    seed: np.random.SeedSequence,
    trace: Trace,
    report: Callable[[float | None], None],
) -> None:
    start_seed, sweep_seed = seed.spawn(2)
    rng = np.random.default_rng(start_seed)
    if init == "nmf":
        init = factorise_kl(gibbs.problem, rng, gibbs.workers)
    elif init == "prior":
        init = draw_from_prior(gibbs.problem, rng)
    state = gibbs.start(init, sweep_seed)
    evaluation, draw = 0, chain * schedule.n_draws
    for sweep in range(1, schedule.n_sweeps + 1):
        gibbs.sweep(state)
        log_likelihood = None
        if schedule.is_evaluated(sweep):
            log_likelihood = gibbs.log_likelihood(state)
            trace.log_likelihood_CE[chain, evaluation] = log_likelihood
            evaluation += 1
            if sweep > schedule.n_burnin:
                trace.theta1_NKS[:, :, draw] = state.theta1_NK
                trace.theta2_NKS[:, :, draw] = state.theta2_NK
                trace.phi_MKS[:, :, draw] = state.phi_MK
                draw += 1
        report(log_likelihood)

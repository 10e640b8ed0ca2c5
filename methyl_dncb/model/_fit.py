"""Run chains to their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._blocks import Workers
from ._gibbs import Gibbs
from ._run import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ._schedule import Schedule
    from ._start import Factors
    from ._state import Problem
    from ._trace import Trace


def fit(
    problem: Problem,
    schedule: Schedule,
    *,
    init: str | Factors = "nmf",
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    resume: dict[str, np.ndarray] | None = None,
    after_sweep: Callable[[Run], None] = lambda run: None,
    at_end: Callable[[Run], None] = lambda run: None,
) -> Trace:
    """Run `schedule.n_chains` chains side by side over one pool of workers.

    `resume` continues a run from what `Run.to_arrays` gave. `after_sweep` is called after every sweep of all
    chains, `at_end` once before components are matched.
    """
    with Workers(n_jobs) as workers:
        gibbs = Gibbs(problem, workers)
        run = Run.begin(gibbs, schedule, init, seed) if resume is None else Run.from_arrays(resume, gibbs, schedule)
        while not run.is_finished:
            run.advance(gibbs)
            after_sweep(run)
    at_end(run)
    return run.finish()

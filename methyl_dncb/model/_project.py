"""θ of new samples, with φ and ε taken from an earlier fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._blocks import Workers
from ._gibbs import Gibbs
from ._start import fit_theta_kl
from ._trace import Draws

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ._schedule import Schedule
    from ._state import Problem


def project(
    problem: Problem,
    schedule: Schedule,
    phi_MKS: np.ndarray,
    *,
    scale_KS: np.ndarray,
    shape_S2: np.ndarray,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    after_sweep: Callable[[], None] = lambda: None,
) -> Draws:
    """Draws of θ given φ: the d-th given the d-th φ, or all given the only one. None of φ are kept.

    φ is normalised as draws are. The prior of θ is on the scale the fit was made on, so the scale is put back
    for the sweeps and taken out again of what is kept.
    """
    draws = Draws.room_for((problem.beta_NM.shape[0], 0, problem.n_components), 1, schedule.n_draws)
    with Workers(n_jobs) as workers:
        gibbs = Gibbs(problem, workers)
        phi_MK = phi_MKS[:, :, 0] * scale_KS[:, 0]
        state = gibbs.start((*fit_theta_kl(problem, phi_MK, workers), phi_MK), seed)
        for draw in range(schedule.n_draws):
            s = min(draw, phi_MKS.shape[2] - 1)
            state.phi_MK[:] = phi_MKS[:, :, s] * scale_KS[:, s]
            state.phi_KM[:] = state.phi_MK.T
            if state.shape != tuple(shape_S2[s]):
                state.set_shape(tuple(map(float, shape_S2[s])))
            for _ in range(schedule.thin + (schedule.n_burnin if draw == 0 else 0)):
                gibbs.sweep_theta(state)
                after_sweep()
            draws.record(0, draw, (state.theta1_NK, state.theta2_NK, state.phi_MK[:0]), scale_KS[:, s])
    return draws

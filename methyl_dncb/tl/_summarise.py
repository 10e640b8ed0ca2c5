"""From a trace to what is written: means over matched draws, traces, diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._diagnose import diagnose, verdict
from ._settings import AUTO
from ._write import Factors, versions

if TYPE_CHECKING:
    from ..model._trace import Trace
    from ._settings import Settings

INTERVAL = (0.05, 0.95)


def average(trace: Trace, *, keep_draws: bool) -> Factors:
    """Means of ρ, θ and φ over all draws, and the draws themselves if they are to be kept."""
    draws = (trace.theta1_NKS, trace.theta2_NKS, trace.phi_MKS)
    means = tuple(values.mean(axis=2, dtype=np.float64) for values in draws)
    return Factors(mean_rho(*draws[:2]), *means, *(draws if keep_draws else ()))


def mean_rho(theta1_NKS: np.ndarray, theta2_NKS: np.ndarray) -> np.ndarray:
    """The mean of ρ = θ₁/(θ₁ + θ₂) over draws, one draw at a time."""
    n_draws = theta1_NKS.shape[2]
    rho_NK = np.zeros(theta1_NKS.shape[:2])
    for s in range(n_draws):
        theta1 = theta1_NKS[:, :, s].astype(np.float64)
        total = theta1 + theta2_NKS[:, :, s]
        # Loadings too small for float32 say nothing of either side.
        rho_NK += np.divide(theta1, total, out=np.full_like(total, 0.5), where=total > 0)
    return rho_NK / n_draws


def summarise(trace: Trace, settings: Settings, seconds: float) -> dict[str, Any]:
    """What goes into `uns`."""
    learned = settings.shape == AUTO
    figures, components = diagnose(trace, learned_shape=learned)
    summary = {
        "params": settings.params(),
        "shape": trace.shape_S2.mean(axis=0),
        "log_likelihood": trace.log_likelihood_CE,
        "sweep": trace.sweep_E,
        "r_hat": float(figures.loc["log_likelihood", "r_hat"]),
        "ess": float(figures.loc["log_likelihood", "ess_bulk"]),
        "diagnostics": figures,
        "components": components,
        "verdict": verdict(trace, figures),
        "burnin": {"n_sweeps": trace.burnin.n_sweeps},
        "scale": trace.scale_KS,
        "seconds": seconds,
        "versions": versions(),
    }
    if settings.n_burnin == AUTO:
        summary["burnin"] |= {"r_hat": trace.burnin.r_hat_C, "stationary": trace.burnin.stationary}
    if learned:
        summary["shape_trace"] = trace.shape_CE2
        summary["shape_draws"] = trace.shape_S2
        summary["shape_interval"] = np.quantile(trace.shape_S2, INTERVAL, axis=0)
    return summary

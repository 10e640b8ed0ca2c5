"""How many sweeps each start needs until held-out entries are predicted as well as they ever are.

python benchmarks/convergence.py measure results.json [set ...]
python benchmarks/convergence.py report results.json figure.png

For every set, start and seed: the PPD of the draws of the later half, every 10 sweeps. The plateau of a set is
the best median (over seeds) of any start; a start has reached it when its median is within 2% for good. The report
also says where n_burnin="auto" would have ended each chain's burn-in.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from chains import ppd, run_chain
from sets import N_COMPONENTS, hold_out, load

from methyl_dncb.model._schedule import AUTO_SPACING, Schedule, is_settled
from methyl_dncb.model._state import Problem

EVERY = AUTO_SPACING
# Set: (shape, sweeps, seeds)
PLAN = {"medium": (0.25, 1000, 3), "high": (0.25, 1000, 3), "brain": (0.75, 300, 2), "CLL": (0.75, 300, 2)}


def curve(log_densities: np.ndarray) -> list[float]:
    """PPD of the later half of the draws so far, after each evaluation."""
    return [ppd(log_densities[n // 2 : n]) for n in range(1, len(log_densities) + 1)]


def measure(path: Path, names: list[str]) -> None:
    results = json.loads(path.read_text()) if path.exists() else {}
    for name in names:
        shape, n_sweeps, n_seeds = PLAN[name]
        beta = load(name)
        training, held_out = hold_out(beta)
        problem = Problem(training, N_COMPONENTS[name], (shape, shape))
        for start in ("nmf", "prior"):
            for seed in range(n_seeds):
                if f"{name} {start} {seed}" in results:
                    continue
                figures = run_chain(beta, held_out, problem, start=start, seed=seed, n_sweeps=n_sweeps, every=EVERY)
                results[f"{name} {start} {seed}"] = {
                    "every": EVERY,
                    "ppd": curve(figures[0]),
                    "log_likelihood": figures[1].tolist(),
                }
                path.write_text(json.dumps(results))
                print(name, start, seed, np.round(results[f"{name} {start} {seed}"]["ppd"][9::10], 3), flush=True)


def medians(results: dict, name: str) -> dict[str, np.ndarray]:
    """The median curve of each start."""
    return {
        start: np.median([r["ppd"] for key, r in results.items() if key.startswith(f"{name} {start} ")], axis=0)
        for start in ("nmf", "prior")
    }


def sweeps_to_plateau(median: np.ndarray, plateau: float, every: int) -> int | None:
    """The first evaluation from which on the curve stays within 2% of the plateau, in sweeps."""
    below = np.flatnonzero(median < 0.98 * plateau)
    last = -1 if below.size == 0 else int(below[-1])
    return None if last == len(median) - 1 else every * (last + 2)


def report(path: Path) -> None:
    results = json.loads(path.read_text())
    for name in PLAN:
        curves = medians(results, name)
        plateau = max(curve.max() for curve in curves.values())
        for start, median in curves.items():
            chains = [result for key, result in results.items() if key.startswith(f"{name} {start} ")]
            reached = sweeps_to_plateau(median, plateau, chains[0]["every"])
            auto = [auto_burnin(chain["log_likelihood"]) for chain in chains if "log_likelihood" in chain]
            print(
                f"{name:8}{start:8}plateau {plateau:.3f}  end {median[-1]:.3f}  reached after {reached} sweeps", end=""
            )
            print(f'  n_burnin="auto": {auto}')


def auto_burnin(log_likelihood: list[float]) -> int | None:
    """Where the rule for open burn-ins would have ended this chain's."""
    trace = np.array(log_likelihood)[None]
    schedule = Schedule(n_burnin=None)
    for n in range(1, trace.shape[1] + 1):
        if schedule.may_settle(EVERY * n) and is_settled(trace[:, :n]):
            return EVERY * n
    return None


def draw(path: Path, figure: Path) -> None:
    import matplotlib.pyplot as plt

    results = json.loads(path.read_text())
    _, axes = plt.subplots(1, len(PLAN), figsize=(3.2 * len(PLAN), 3), layout="constrained")
    for ax, name in zip(axes, PLAN, strict=True):
        for start, colour in (("nmf", "C0"), ("prior", "C1")):
            for key, result in results.items():
                if key.startswith(f"{name} {start} "):
                    sweeps = result["every"] * np.arange(1, len(result["ppd"]) + 1)
                    ax.plot(sweeps, result["ppd"], color=colour, lw=1, label=start if key.endswith(" 0") else None)
        ax.set(title=name, xlabel="sweeps")
    axes[0].set_ylabel("held-out PPD")
    axes[0].legend(title="start", frameon=False)
    plt.savefig(figure, dpi=120)


if __name__ == "__main__":
    command, path, *rest = sys.argv[1:]
    if command == "measure":
        measure(Path(path), rest or list(PLAN))
    else:
        report(Path(path))
        draw(Path(path), Path(rest[0]))

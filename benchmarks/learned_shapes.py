"""Learned shapes against the fixed ones of the paper: held-out PPD of pooled chains on the authors' sets.

python benchmarks/learned_shapes.py results.json

For every set and shape: chains from an NMF start, the later half of their draws pooled. The standard error of
the PPD is that of a mean over held-out entries (of the logs), times the PPD.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from chains import pooled_log_density, run_chain
from sets import N_COMPONENTS, SYNTHETIC, hold_out, load

from methyl_dncb.model._state import Problem

N_CHAINS, N_SWEEPS, EVERY = 4, 400, 10
SHAPES = {"0.25": (0.25, 0.25), "0.75": (0.75, 0.75), "auto": None}


def measure(path: Path) -> None:
    results = json.loads(path.read_text()) if path.exists() else {}
    for name in SYNTHETIC:
        beta = load(name)
        training, held_out = hold_out(beta)
        for label, shape in SHAPES.items():
            if f"{name} {label}" in results:
                continue
            problem = Problem(training, N_COMPONENTS[name], shape or (0.75, 0.75), learn_shape=shape is None)
            chains = [
                run_chain(beta, held_out, problem, start="nmf", seed=seed, n_sweeps=N_SWEEPS, every=EVERY)
                for seed in range(N_CHAINS)
            ]
            later = slice(N_SWEEPS // EVERY // 2, None)
            logs = pooled_log_density(np.concatenate([chain[0][later] for chain in chains]))
            value = float(np.exp(logs.mean()))
            shapes = np.concatenate([chain[2][later] for chain in chains])
            results[f"{name} {label}"] = {
                "ppd": value,
                "se": value * float(logs.std(ddof=1) / np.sqrt(logs.size)),
                "single": [float(np.exp(pooled_log_density(chain[0][later]).mean())) for chain in chains],
                "shape": shapes.mean(axis=0).tolist(),
                "interval": np.quantile(shapes, (0.05, 0.95), axis=0).tolist(),
                "trace": [chain[2][:, :].tolist() for chain in chains] if shape is None else [],
            }
            path.write_text(json.dumps(results))


def report(path: Path) -> None:
    results = json.loads(path.read_text())
    for name in SYNTHETIC:
        best = max(results[f"{name} {label}"]["ppd"] for label in ("0.25", "0.75"))
        for label in SHAPES:
            found = results[f"{name} {label}"]
            shape, single = np.round(found["shape"], 3), np.round(found["single"], 3)
            print(f"{name:8}{label:6}PPD {found['ppd']:.3f} ± {found['se']:.3f}  single chains {single}  shape {shape}")
        auto = results[f"{name} auto"]
        print(
            f"{name:8}auto at least the better fixed one minus one standard error: {auto['ppd'] >= best - auto['se']}"
        )


if __name__ == "__main__":
    measure(Path(sys.argv[1]))
    report(Path(sys.argv[1]))

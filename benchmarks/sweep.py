"""The sampler's throughput: time per entry and sweep, the second core, and how cost grows with N, M and K.

    python benchmarks/sweep.py [--data FOLDER] [--other FILE.json]

FOLDER holds the paper's synthetic files (`10clones_*_seed_0.npz`); without it, sets of the same kind are generated.
FILE.json gives another sampler's nanoseconds per entry and sweep on one core for the same settings, as
{"verydispersed,0.25": 2200, …}, measured on the same machine; ratios to it are printed.
"""

import argparse
import json
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from methyl_dncb import datasets
from methyl_dncb.model._blocks import Workers
from methyl_dncb.model._gibbs import Gibbs
from methyl_dncb.model._start import draw_from_prior
from methyl_dncb.model._state import Problem

SETS = {"notdispersed": "low", "somewhatdispersed": "medium", "verydispersed": "high"}


def load(name, folder):
    if folder is None:
        return np.asarray(datasets.epiclomal(SETS[name], rng=0).X, dtype=np.float32)
    with np.load(folder / f"10clones_{name}_seed_0.npz") as file:
        d, u = file["methylated_counts"], file["unmethylated_counts"]
    return ((d + 0.1) / (d + u + 0.2)).astype(np.float32)


def nanoseconds(beta, n_components, shape, *, n_jobs=1, warm_up=200, n_blocks=20, block=10, clock=process_time):
    """Best and median time per entry and sweep over blocks of sweeps, and the mean count y₁ + y₂ at the end."""
    problem = Problem(beta, n_components, (shape, shape))
    with Workers(n_jobs) as workers:
        gibbs = Gibbs(problem, workers)
        state = gibbs.start(draw_from_prior(problem, np.random.default_rng(0)), np.random.SeedSequence(0))
        for _ in range(warm_up):
            gibbs.sweep(state)
        times = []
        for _ in range(n_blocks):
            began = clock()
            for _ in range(block):
                gibbs.sweep(state)
            times.append((clock() - began) / block / beta.size * 1e9)
    return min(times), float(np.median(times)), float(state.total_NM.mean())


def throughput(folder, other):
    print("one core, 100 × 500, K = 10, from the prior, after 200 sweeps (CPU time; best and median of blocks)")
    for name in SETS:
        beta = load(name, folder)
        for shape in (0.25, 0.75):
            best, median, count = nanoseconds(beta, 10, shape)
            rival = other.get(f"{name},{shape}")
            ratio = f"   {rival / best:5.1f} × as fast as the other" if rival else ""
            print(f"  {name:18} ε = {shape:<5} {best:6.0f} {median:6.0f} ns   mean count {count:5.1f}{ratio}")


def second_core():
    beta = np.random.default_rng(0).beta(0.6, 0.6, size=(400, 5000)).clip(1e-4, 1 - 1e-4).astype(np.float32)
    options = {"warm_up": 20, "n_blocks": 5, "block": 2, "clock": perf_counter}
    one, two = (nanoseconds(beta, 14, 0.75, n_jobs=n, **options)[0] for n in (1, 2))
    print(f"400 × 5,000, K = 14: {one:.0f} ns on one core, {two:.0f} on two: {one / two:.2f} ×")


def growth():
    print("time per sweep, relative to the smallest, against what linear growth would give")
    rng = np.random.default_rng(0)
    for letter, sizes in {"N": (60, 600), "M": (400, 4000), "K": (5, 50)}.items():
        seconds = []
        for size in sizes:
            dims = {"N": 100, "M": 1000, "K": 10} | {letter: size}
            beta = rng.beta(0.6, 0.6, size=(dims["N"], dims["M"])).clip(1e-4, 1 - 1e-4).astype(np.float32)
            time, _, _ = nanoseconds(beta, dims["K"], 0.75, warm_up=30, n_blocks=5, block=3)
            seconds.append(time * beta.size)
        grown, linear = seconds[1] / seconds[0], sizes[1] / sizes[0]
        print(f"  {letter} from {sizes[0]} to {sizes[1]}: {grown:5.1f} (linear: {linear:.0f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--other", type=Path)
    arguments = parser.parse_args()
    other = json.loads(arguments.other.read_text()) if arguments.other else {}
    throughput(arguments.data, other)
    second_core()
    growth()


if __name__ == "__main__":
    main()

"""Memory of a fit beyond the loaded matrix, and what the package adds to the import of scanpy.

python benchmarks/footprint.py
"""

import subprocess
import sys

FIT = """
import resource, sys
import numpy as np, anndata as ad, methyl_dncb as md
N, M, K = 400, 5000, 14
md.tl.dncb_mf(md.datasets.simulate_groups(20, 30, rng=0), 2, n_burnin=1, n_draws=10, thin=1)  # imports
adata = ad.AnnData(np.random.default_rng(0).random((N, M), dtype=np.float32).clip(1e-4, 1 - 1e-4))
if {missing}:
    adata.X[np.random.default_rng(1).random((N, M), dtype=np.float32) < 0.3] = np.nan
unit = 1 if sys.platform == "darwin" else 1024
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
md.tl.dncb_mf(adata, K, n_burnin={n_burnin}, n_draws=10, thin=1, rng=0, n_jobs=2)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
print((after - before) / (N * M), 4 * 10 * K * (2 * N + M) / (N * M))
"""

IMPORT = """
import time, scanpy
began = time.perf_counter()
import methyl_dncb
print(time.perf_counter() - began)
"""


def run(code):
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [float(word) for word in answer.stdout.split()]


def main():
    for missing in (False, True):
        short, draws = run(FIT.format(missing=missing, n_burnin=2))
        long, _ = run(FIT.format(missing=missing, n_burnin=40))
        words = "30% missing" if missing else "complete"
        print(f"400 × 5,000, K = 14, {words}: peak {long:.1f} bytes per entry above the loaded matrix")
        print(f"  of which kept draws: {draws:.1f}")
        print(f"  after 12 sweeps {short:.1f}, after 50 {long:.1f}: no growth with sweeps")
    print(f"import methyl_dncb after scanpy: {min(run(IMPORT)[0] for _ in range(5)):.2f} s")


if __name__ == "__main__":
    main()

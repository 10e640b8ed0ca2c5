"""Time of BG-NMF and of the held-out score at the size of the paper's arrays: `python benchmarks/heldout.py`."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from methyl_dncb import datasets, pp, tl
from methyl_dncb._check import job_count

N_OBS, N_VARS, K, S = 400, 5000, 14, 100


def main() -> None:
    print(f"{N_OBS} samples × {N_VARS} genes, K = {K}, {job_count(None)} cores")
    adata = datasets.simulate_groups(N_OBS, N_VARS, 6, rng=0)
    pp.hold_out(adata, 0.1, rng=0)
    tl.bg_nmf(adata, K, n_iterations=10, n_draws=1, rng=0)
    print(f"tl.bg_nmf, 10 iterations: {adata.uns['bg_nmf']['seconds']:.2f} s (bar: 2 s)")
    tl.bg_nmf(adata, K, n_iterations=10, mask="held_out", keep_draws=True, n_draws=S, rng=0)

    # The same draws read as a DNCB fit: the density is what takes the time.
    for slot, key in ((adata.obsm, "theta1"), (adata.obsm, "theta2"), (adata.varm, "phi")):
        slot[f"dncb_mf_{key}"] = slot[f"bg_nmf_{key}"]
        slot[f"dncb_mf_{key}_draws"] = slot[f"bg_nmf_{key}_draws"]
    adata.uns["dncb_mf"] = {"params": adata.uns["bg_nmf"]["params"], "shape": np.array([0.75, 0.75])}
    for key in ("bg_nmf", "dncb_mf"):
        start = perf_counter()
        score = tl.heldout_score(adata, key=key, draws=S)
        seconds = perf_counter() - start
        print(f"tl.heldout_score of {key}, {score['n_entries']:.0f} entries × {S} draws: {seconds:.1f} s (bar: 60 s)")


if __name__ == "__main__":
    main()

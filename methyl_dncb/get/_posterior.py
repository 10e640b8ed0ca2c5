from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._fit import find_fit

if TYPE_CHECKING:
    from anndata import AnnData
    from xarray import DataTree


def posterior(adata: AnnData, *, key: str = "dncb_mf") -> DataTree:
    """The draws of a fit as an ArviZ object: an xarray DataTree with named dimensions.

    Needs the extra `posterior` (`pip install "methyl-dncb[posterior]"`) and a fit with `keep_draws=True`.

    Parameters
    ----------
    adata
        An object with a fit that kept its draws.
    key
        Stem of the fit's keys.

    Returns
    -------
    xarray.DataTree
        Group `posterior`: `theta1`, `theta2` and `rho` (chain, draw, sample, component), `phi` (chain, draw, gene,
        component), and `shape` (chain, draw, side) where it was learned. Group `sample_stats`: `lp`, the log
        likelihood of each draw (chain, draw). Genes outside the fit are left out. θ and φ are not copied.
        Where ArviZ stacks chains and draws into a dimension `sample` of its own, rename this one first.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(30, 60, rng=0)
    >>> md.tl.dncb_mf(adata, 4, n_burnin=50, n_draws=10, thin=5, n_chains=2, rng=0, keep_draws=True)
    >>> draws = md.get.posterior(adata)
    >>> dict(draws.posterior["phi"].sizes)
    {'chain': 2, 'draw': 10, 'gene': 60, 'component': 4}
    """
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise ImportError('get.posterior needs ArviZ; pip install "methyl-dncb[posterior]"') from error

    fit = find_fit(adata, key)
    keys, uns = fit.keys, fit.uns
    if fit.phi_MKS is None or keys.draws(keys.theta1) not in adata.obsm:
        raise ValueError(f"the fit under {key!r} kept no draws; fit again with keep_draws=True")
    n_chains = int(uns["params"].get("n_chains", 1))
    genes = fit.genes
    theta1, theta2 = (np.asarray(adata.obsm[keys.draws(name)]) for name in (keys.theta1, keys.theta2))
    phi = fit.phi_MKS if genes.all() else fit.phi_MKS[genes]
    variables = {"theta1": theta1, "theta2": theta2, "rho": theta1 / (theta1 + theta2), "phi": phi}
    variables = {name: _by_chain(values, n_chains) for name, values in variables.items()}
    of_sample = ["sample", "component"]
    dims = {"theta1": of_sample, "theta2": of_sample, "rho": of_sample, "phi": ["gene", "component"]}
    coords = {"sample": list(adata.obs_names), "gene": list(adata.var_names[genes]), "component": fit.names}
    n_draws = phi.shape[2] // n_chains
    if "shape_trace" in uns:
        variables["shape"] = np.asarray(uns["shape_trace"])[:, -n_draws:]
        dims["shape"] = ["side"]
        coords["side"] = ["methylated", "unmethylated"]
    groups = {"posterior": variables}
    if "log_likelihood" in uns:
        groups["sample_stats"] = {"lp": np.atleast_2d(uns["log_likelihood"])[:, -n_draws:]}
    # ArviZ warns of a dimension `sample`, its own name for chains and draws stacked; here it is a biological one.
    return from_dict(groups, dims=dims, coords=coords, check_conventions=False)


def _by_chain(values: np.ndarray, n_chains: int) -> np.ndarray:
    """(rows, K, S) as (chain, draw, rows, K); S runs over chains, then draws."""
    n_rows, K, S = values.shape
    return np.moveaxis(values.reshape(n_rows, K, n_chains, S // n_chains), (2, 3), (0, 1))

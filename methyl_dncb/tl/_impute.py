from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from scanpy import logging as logg

from .. import _check
from .._data import read_betas
from ..stats import dncb
from ._fitted import read_fit

if TYPE_CHECKING:
    from anndata import AnnData

    from ._fitted import Fitted

# Numbers held at a time: entries × components × draws.
NUMBERS_AT_A_TIME = 4_000_000


def impute(
    adata: AnnData,
    entries: Literal["missing", "all"] = "missing",
    *,
    interval: float = 0.9,
    n_samples: int = 1000,
    key: str = "dncb_mf",
    key_added: str = "imputed",
    rng: np.random.Generator | int | None = None,
    copy: bool = False,
) -> AnnData | None:
    """Predict β of missing or of all entries, with intervals, from the draws of a fit.

    The prediction for an entry is the posterior predictive distribution: a DNCB distribution for each draw of θ, φ
    and ε, averaged over the draws. Its mean is exact given the draws, its interval comes from samples.

    Parameters
    ----------
    adata
        With a fit of `tl.dncb_mf` or `tl.project` made with `keep_draws=True`.
    entries
        `"missing"`: entries that are NaN; those observed stay as they are. `"all"`: every entry, for example to look
        at held-out ones.
    interval
        Probability of the equal-tailed interval.
    n_samples
        Samples of each entry for its interval, at least one per draw.
    key
        The fit to use; it also says which layer holds β.
    key_added
        Stem of the layers to write.
    rng
        Seed or generator, for the samples.
    copy
        Whether to return a copy instead of writing into `adata`.

    Returns
    -------
    None, or with `copy=True` a copy of `adata`, with the following fields set:

    `.layers['imputed']`
        β, with the predictive mean where it was missing; NaN for missing entries of genes outside the fit.
    `.layers['imputed_low']`, `.layers['imputed_high']`
        Ends of the interval; NaN where nothing was predicted.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=30, n_vars=60, missing=0.1, rng=0)
    >>> md.tl.dncb_mf(adata, n_components=4, n_burnin=50, n_draws=20, thin=5, keep_draws=True, rng=0)
    >>> md.tl.impute(adata, rng=0)
    >>> bool((adata.layers["imputed_low"] <= adata.layers["imputed"])[adata.layers["imputed_low"] > 0].all())
    True
    """
    if entries not in ("missing", "all"):
        raise ValueError(f'entries must be "missing" or "all", not {entries!r}')
    interval = _check.number("interval", interval, least=0.0, most=1.0)
    n_samples = _check.whole_number("n_samples", n_samples, least=1)
    stem = _check.key_stem(key_added, "imputed")
    fitted = read_fit(adata, key)
    predictor = _Predictor(fitted, n_samples, interval, np.random.default_rng(rng))
    mean = read_betas(adata, layer=fitted.summary["params"]["layer"], mask_var=None).beta_NM.copy()
    low, high = np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    wanted = np.isnan(mean) | (entries == "all")
    rows, columns = np.nonzero(wanted & fitted.genes)
    left_out = int((wanted & ~fitted.genes).sum())
    if entries == "all":
        mean[:] = np.nan
    for start in range(0, rows.size, predictor.n_at_a_time):
        i, j = rows[start : start + predictor.n_at_a_time], columns[start : start + predictor.n_at_a_time]
        mean[i, j], low[i, j], high[i, j] = predictor.predict(i, j)
    logg.info(f"imputed {rows.size} entries" + (f"; {left_out} belong to genes outside the fit" if left_out else ""))
    adata = (adata.to_memory() if adata.isbacked else adata.copy()) if copy else adata
    for name, values in ((stem, mean), (f"{stem}_low", low), (f"{stem}_high", high)):
        adata.layers[name] = values
    return adata if copy else None


class _Predictor:
    """Predictive means and intervals of entries, from draws."""

    def __init__(self, fitted: Fitted, n_samples: int, interval: float, rng: np.random.Generator) -> None:
        self.theta_NKS = fitted.theta_draws
        self.phi_MKS = fitted.phi_draws
        self.eps1_S, self.eps2_S = fitted.shape_S2.T
        self.rng = rng
        _, K, S = self.phi_MKS.shape
        self.n_repeats = -(-n_samples // S)
        self.tails = (0.5 - interval / 2, 0.5 + interval / 2)
        self.n_at_a_time = max(NUMBERS_AT_A_TIME // (S * (K + self.n_repeats)), 1)

    def predict(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean and both ends of the interval at the given entries."""
        phi = self.phi_MKS[columns].astype(np.float64)
        lam1, lam2 = ((theta_NKS[rows] * phi).sum(axis=1) for theta_NKS in self.theta_NKS)
        mean = dncb.mean(self.eps1_S, self.eps2_S, lam1, lam2).mean(axis=1)
        size = (self.n_repeats, *lam1.shape)
        samples = self.rng.beta(self.eps1_S + self.rng.poisson(lam1, size), self.eps2_S + self.rng.poisson(lam2, size))
        return mean, *np.quantile(samples, self.tails, axis=(0, 2))

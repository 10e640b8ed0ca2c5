from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from .. import _check
from .._data import IF_PRESENT, read_betas, resolve_genes
from .._keys import HELD_OUT

if TYPE_CHECKING:
    from anndata import AnnData


def hold_out(
    adata: AnnData,
    fraction: float = 0.1,
    *,
    layer: str | None = None,
    rng: np.random.Generator | int | None = None,
    key_added: str = HELD_OUT,
    copy: bool = False,
) -> AnnData | None:
    """Choose entries at random to hold out of a fit, as a test set for prediction.

    The fraction is of the observed entries; missing ones (NaN) are never chosen. Every sample and every gene
    that has an observed entry keeps one for training: where chance left none, one entry is given back,
    and a warning says how many were.

    Parameters
    ----------
    adata
        β in `X` or in `layer`.
    fraction
        Fraction of the observed entries to hold out, in (0, 1).
    layer
        Layer that holds β, if not `X`.
    rng
        Seed or generator.
    key_added
        Name of the layer to write.
    copy
        Whether to return a copy instead of writing into `adata`.

    Returns
    -------
    AnnData or None
        None, or the copy. Sets `layers[key_added]`: boolean, True where held out. Give its name as `mask`
        to `tl.dncb_mf`, `tl.bg_nmf`, `tl.nmf` and `tl.heldout_score`.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(20, 50, rng=0)
    >>> md.pp.hold_out(adata, 0.1, rng=0)
    >>> int(adata.layers["held_out"].sum())
    100
    """
    fraction = _check.fraction("fraction", fraction, zero=False)
    key_added = _check.key_stem(key_added, HELD_OUT)
    _, fitted_M = resolve_genes(adata, IF_PRESENT)
    observed_NM = ~np.isnan(read_betas(adata, layer=layer, mask_var=None).beta_NM)
    rng = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(_check.seed_words(rng))

    candidates = np.flatnonzero(observed_NM)
    n_chosen = round(fraction * len(candidates))
    held_out_NM = np.zeros(adata.shape, dtype=bool)
    held_out_NM.flat[rng.choice(candidates, n_chosen, replace=False)] = True
    # Rows first: giving entries back to columns cannot empty a row again.
    given_back = _give_back(held_out_NM, observed_NM, rng) + _give_back(held_out_NM.T, observed_NM.T, rng)
    if not fitted_M.all():
        # A fit sees the highly variable genes alone, and every sample must keep one of those.
        of_fitted = held_out_NM[:, fitted_M]
        given_back += _give_back(of_fitted, observed_NM[:, fitted_M], rng)
        held_out_NM[:, fitted_M] = of_fitted
    if given_back == n_chosen:
        raise ValueError(
            f"No entry can be held out: {fraction} of {len(candidates)} observed entries is {n_chosen}, "
            "and every sample and gene must keep one; change the fraction or filter sparse samples and genes."
        )
    if given_back:
        warnings.warn(
            f"{given_back} of {n_chosen} held-out entries were given back, because their sample or gene had "
            "no other observed entry left to train on.",
            stacklevel=2,
        )
    if copy:
        adata = adata.to_memory() if adata.isbacked else adata.copy()
    adata.layers[key_added] = held_out_NM
    return adata if copy else None


def _give_back(held_out_NM: np.ndarray, observed_NM: np.ndarray, rng: np.random.Generator) -> int:
    """Return one held-out entry to each row that has no other observed one; how many that were."""
    emptied = np.flatnonzero(held_out_NM.any(axis=1) & ~(observed_NM & ~held_out_NM).any(axis=1))
    for i in emptied:
        held_out_NM[i, rng.choice(np.flatnonzero(held_out_NM[i]))] = False
    return len(emptied)

"""β and M values: M = log₂(β / (1 − β))."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from .._data import make_actual, read_betas
from ._rows import find_layer

if TYPE_CHECKING:
    from anndata import AnnData


def m_to_beta(adata: AnnData, *, layer: str | None = None, copy: bool = False) -> AnnData | None:
    """Turn M values into β = 2ᴹ / (1 + 2ᴹ).

    Parameters
    ----------
    adata
        M values in `X` or in `layer`; NaN where missing.
    layer
        Layer to read and write, if not `X`.
    copy
        Whether to return a copy instead of writing into `adata`.

    Returns
    -------
    AnnData or None
        None, or the copy. Sets `X` or the layer: float32.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> import methyl_dncb as md
    >>> adata = anndata.AnnData(np.array([[0.0, 1.0, np.nan]], dtype=np.float32))
    >>> md.pp.m_to_beta(adata)
    >>> adata.X.round(3)
    array([[0.5  , 0.667,   nan]], dtype=float32)
    """
    values = adata.X if layer is None else find_layer(adata, layer)
    if values is None or sparse.issparse(values) or np.dtype(values.dtype).kind != "f":
        raise TypeError("M values must be a dense matrix of floats, with NaN where missing")
    return _write(adata, expit(np.log(2) * np.asarray(values, dtype=np.float64)), layer=layer, copy=copy)


def beta_to_m(adata: AnnData, *, layer: str | None = None, epsilon: float = 1e-6, copy: bool = False) -> AnnData | None:
    """Turn β into M values, log₂(β / (1 − β)).

    Parameters
    ----------
    adata
        β in `X` or in `layer`; NaN where missing.
    layer
        Layer to read and write, if not `X`.
    epsilon
        β is first moved into [ε, 1 − ε], since M is not finite at 0 and 1.
    copy
        Whether to return a copy instead of writing into `adata`.

    Returns
    -------
    AnnData or None
        None, or the copy. Sets `X` or the layer: float32.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> import methyl_dncb as md
    >>> adata = anndata.AnnData(np.array([[0.5, 0.8, np.nan]], dtype=np.float32))
    >>> md.pp.beta_to_m(adata)
    >>> adata.X.round(3)
    array([[ 0.,  2., nan]], dtype=float32)
    """
    if isinstance(epsilon, bool) or not isinstance(epsilon, Real) or not 0 < epsilon < 0.5:
        raise ValueError(f"epsilon is {epsilon!r}; give a small number above 0, such as 1e-6")
    values = read_betas(adata, layer=layer, mask_var=None).beta_NM.astype(np.float64)
    clipped = np.clip(values, epsilon, 1 - epsilon)
    return _write(adata, logit(clipped) / np.log(2), layer=layer, copy=copy)


def _write(adata: AnnData, values: np.ndarray, *, layer: str | None, copy: bool) -> AnnData | None:
    if copy:
        adata = adata.copy()
    make_actual(adata)
    if layer is None:
        adata.X = values.astype(np.float32)
    else:
        adata.layers[layer] = values.astype(np.float32)
    return adata if copy else None

"""The door: whatever stands in X or a layer becomes one checked float32 matrix of β, NaN where missing."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from anndata.abc import CSCDataset, CSRDataset
from scipy import sparse

from . import _keys

if TYPE_CHECKING:
    from anndata import AnnData

_ENTRIES_AT_A_TIME: Final = 4_194_304
_JUST_BELOW_ONE: Final = np.nextafter(np.float32(1), np.float32(0))
_JUST_ABOVE_ZERO: Final = np.finfo(np.float32).tiny


class _HighlyVariable:
    """Stands for scanpy's default: `var["highly_variable"]` where there is such a column, else all genes."""

    def __repr__(self) -> str:
        return f"<{_keys.HIGHLY_VARIABLE!r} if present>"


IF_PRESENT: Final = _HighlyVariable()
MaskVar = str | np.ndarray | None | _HighlyVariable


@dataclass(frozen=True, slots=True)
class Betas:
    """β of the chosen genes (NaN where missing or held out), and what was found on the way."""

    beta_NM: np.ndarray
    mask_var: str | np.ndarray | None  # as resolved: what to pass to get the same genes again
    genes: np.ndarray  # boolean, over all genes of the AnnData
    n_exact: int  # observed entries that are exactly 0 or 1
    n_missing: int
    n_held_out: int
    held_out_crc32: int  # tells whether a mask of the same name is still the same


def read_betas(
    adata: AnnData, *, layer: str | None = None, mask: str | None = None, mask_var: MaskVar = IF_PRESENT
) -> Betas:
    """Read and check β; nothing is copied where it is float32, C-ordered, in memory and used whole."""
    source, name = _find(adata, layer)
    _check_kind(source, name)
    resolved, genes = resolve_genes(adata, mask_var)
    held_out = _find_mask(adata, mask)
    whole = isinstance(source, np.ndarray) and source.dtype == np.float32 and source.flags.c_contiguous
    in_place = whole and genes.all() and held_out is None
    beta = source.view(np.ndarray) if in_place else np.empty((adata.n_obs, genes.sum()), dtype=np.float32)
    found = _Findings(name)
    for rows in _row_slices(*source.shape):
        values = np.asarray(source[rows])
        if not genes.all():
            values = values[:, genes]
        observed = found.check(values)
        if not in_place:
            beta[rows] = _to_float32(values)
        if held_out is not None:
            hidden = np.asarray(held_out[rows])[:, genes]
            beta[rows][hidden] = np.nan
            found.hold_out(hidden & observed)
    found.check_all()
    return Betas(beta, resolved, genes, found.n_exact, found.n_missing, found.n_held_out, found.held_out_crc32)


def resolve_genes(adata: AnnData, mask_var: MaskVar) -> tuple[str | np.ndarray | None, np.ndarray]:
    """The genes that `mask_var` chooses: the argument without its default, and a boolean array."""
    if isinstance(mask_var, _HighlyVariable):
        mask_var = _keys.HIGHLY_VARIABLE if _keys.HIGHLY_VARIABLE in adata.var else None
    if mask_var is None:
        return None, np.ones(adata.n_vars, dtype=bool)
    if isinstance(mask_var, str):
        if mask_var not in adata.var:
            raise ValueError(f"mask_var names adata.var[{mask_var!r}], which is not there; pass None for all genes")
        genes = adata.var[mask_var].to_numpy()
    else:
        genes = mask_var = np.asarray(mask_var)
    if genes.dtype != bool or genes.shape != (adata.n_vars,):
        raise ValueError(
            f"mask_var must be one boolean per gene ({adata.n_vars}), not {genes.dtype} of shape {genes.shape}"
        )
    if not genes.any():
        raise ValueError("mask_var chooses no genes; pass None for all genes")
    return mask_var, genes


def _find(adata: AnnData, layer: str | None) -> tuple[Any, str]:
    if layer is None:
        if adata.X is None:
            raise ValueError("adata.X is empty; put β values there or name a layer with layer=")
        return adata.X, "adata.X"
    if layer not in adata.layers:
        known = ", ".join(repr(name) for name in adata.layers if name is not None) or "none"
        raise ValueError(f"there is no layer {layer!r}; the layers are: {known}")
    return adata.layers[layer], f"adata.layers[{layer!r}]"


def _check_kind(source: Any, name: str) -> None:
    if sparse.issparse(source) or isinstance(source, CSRDataset | CSCDataset):
        raise TypeError(
            f"{name} is sparse, and a zero that is not stored is not a methylation of zero; make it dense with NaN "
            "for what was not measured (pp.beta does so from counts)"
        )
    if not hasattr(source, "dtype") or len(source.shape) != 2:
        raise TypeError(f"{name} is a {type(source).__name__}; β values must be a dense matrix of floats")
    if np.dtype(source.dtype).kind != "f":
        raise TypeError(
            f"{name} holds {source.dtype} values; β values are floats between 0 and 1. If these are read counts, "
            "put them into layers and call pp.beta"
        )
    if 0 in source.shape:
        raise ValueError(f"{name} is empty: {source.shape[0]} samples × {source.shape[1]} genes")


def _find_mask(adata: AnnData, mask: str | None) -> Any | None:
    if mask is None:
        return None
    if not isinstance(mask, str):
        raise TypeError(f"mask names a boolean layer (pp.hold_out makes one), so a string, not {type(mask).__name__}")
    if mask not in adata.layers:
        raise ValueError(f"mask names the layer {mask!r}, which is not there; pp.hold_out makes one")
    layer = adata.layers[mask]
    if sparse.issparse(layer):
        layer = layer.toarray()
    if layer.dtype != bool:
        raise TypeError(f"the mask adata.layers[{mask!r}] holds {layer.dtype}, not booleans (True is held out)")
    if layer.shape != adata.shape:
        raise ValueError(f"the mask adata.layers[{mask!r}] has shape {layer.shape}, the data {adata.shape}")
    return layer


def _row_slices(n_rows: int, n_columns: int) -> list[slice]:
    step = max(_ENTRIES_AT_A_TIME // n_columns, 1)
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def _to_float32(values: np.ndarray) -> np.ndarray:
    """Round to float32, but what lies inside (0, 1) stays inside: 1 − 1e-12 must not become 1."""
    if values.dtype == np.float32:
        return values
    rounded = values.astype(np.float32)
    np.copyto(rounded, _JUST_BELOW_ONE, where=(rounded == 1) & (values < 1))
    np.copyto(rounded, _JUST_ABOVE_ZERO, where=(rounded < _JUST_ABOVE_ZERO) & (values > 0))
    return rounded


class _Findings:
    """Adds up what blocks of values hold and refuses what cannot be β."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.n_entries = self.n_missing = self.n_exact = self.n_held_out = self.held_out_crc32 = 0

    def check(self, values: np.ndarray) -> np.ndarray:
        """Check one block and return which entries are there."""
        missing = np.isnan(values)
        n_missing = int(np.count_nonzero(missing))
        outside = ~missing & ~((values >= 0) & (values <= 1))
        if outside.any():
            raise ValueError(f"{self.name} {self._describe(values[outside], values[~missing])}")
        self.n_entries += values.size
        self.n_missing += n_missing
        self.n_exact += int(np.count_nonzero((values == 0) | (values == 1)))
        return ~missing

    def hold_out(self, entries: np.ndarray) -> None:
        """Take note of the observed entries of a block that are held out."""
        self.n_held_out += int(np.count_nonzero(entries))
        self.held_out_crc32 = zlib.crc32(np.ascontiguousarray(entries), self.held_out_crc32)

    def _describe(self, outside: np.ndarray, values: np.ndarray) -> str:
        if np.isinf(outside).any():
            return f"holds {np.isinf(outside).sum()} infinite values; put NaN where nothing was measured"
        fact = f"holds {outside.size} values outside [0, 1] (from {values.min():.4g} to {values.max():.4g})"
        if values.min() < 0 and np.abs(values).max() <= 30:
            return f"{fact}; they look like M-values: call pp.m_to_beta first"
        if values.min() >= 0 and values.max() <= 100 and np.median(values) > 1:
            return f"{fact}; they look like percentages: divide by 100 first"
        return f"{fact}; β values are shares of methylated reads or intensities"

    def check_all(self) -> None:
        """Refuse a matrix with nothing in it, once all blocks have been seen."""
        if self.n_missing + self.n_held_out == self.n_entries:
            raise ValueError(f"{self.name} has no observed value: all are missing (NaN) or held out")


def make_actual(adata: AnnData) -> None:
    """Let a view become an AnnData of its own, so that writing to it leaves its parent alone."""
    if adata.is_view:
        adata._init_as_actual(adata.copy())

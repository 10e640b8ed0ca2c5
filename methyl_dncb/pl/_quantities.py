"""Numbers of a fit along its chains: the log likelihood, learned shapes, or single entries of the factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ._figure import shorten

if TYPE_CHECKING:
    import pandas as pd
    from anndata import AnnData

    from ..get._fit import Fit

Quantity = str | tuple[str, str | int, int | str]
LOG_LIKELIHOOD: Final = "log_likelihood"
SHAPE: Final = "shape"
_SYMBOLS: Final = {"rho": "ρ", "theta1": "θ₁", "theta2": "θ₂", "phi": "φ"}


@dataclass(frozen=True, slots=True)
class Chains:
    """One quantity by chain; the last `n_draws` values of each chain belong to its draws."""

    label: str
    values_CE: np.ndarray
    n_draws: int
    sweeps: np.ndarray

    @property
    def of_draws(self) -> np.ndarray:
        """The part after burn-in."""
        return self.values_CE[:, -self.n_draws :]


def default_quantities(fit: Fit) -> list[Quantity]:
    """The log likelihood, and ε where it was learned."""
    return [LOG_LIKELIHOOD, SHAPE] if "shape_trace" in fit.uns else [LOG_LIKELIHOOD]


def read_quantity(adata: AnnData, fit: Fit, quantity: Quantity) -> list[Chains]:
    """The chains of one quantity; two of them for ε₁ and ε₂."""
    if "log_likelihood" not in fit.uns:
        raise ValueError(f"adata.uns[{fit.keys.uns!r}] holds no trace; it is written by tl.dncb_mf")
    if quantity == LOG_LIKELIHOOD:
        return [_along_run(fit, "log likelihood", fit.uns["log_likelihood"])]
    if quantity == SHAPE:
        if "shape_trace" not in fit.uns:
            raise ValueError("this fit did not learn its shapes, so they have no trace")
        trace = np.asarray(fit.uns["shape_trace"])
        return [_along_run(fit, label, trace[..., r]) for r, label in enumerate(("ε₁", "ε₂"))]
    if isinstance(quantity, tuple) and len(quantity) == 3 and quantity[0] in _SYMBOLS:
        return [_along_draws(adata, fit, *quantity)]
    raise ValueError(
        f'a quantity is "{LOG_LIKELIHOOD}", "{SHAPE}", ("phi", gene, component), or ("rho" | "theta1" | "theta2", '
        f"sample, component), not {quantity!r}"
    )


def _along_run(fit: Fit, label: str, values: np.ndarray) -> Chains:
    sweeps = np.asarray(fit.uns["sweep"])
    return Chains(label, np.atleast_2d(values), int(fit.uns["params"]["n_draws"]), sweeps)


def _along_draws(adata: AnnData, fit: Fit, name: str, row: str | int, component: int | str) -> Chains:
    """An entry of a factor, over the stored draws."""
    k = fit.choose(component)[0]
    index, slot = (adata.var_names, adata.varm) if name == "phi" else (adata.obs_names, adata.obsm)
    i = _find_row(index, row)

    def draws_of(factor: str) -> np.ndarray:
        key = fit.keys.draws(getattr(fit.keys, factor))
        if key not in slot:
            raise ValueError(f"the trace of {name!r} needs draws; fit with tl.dncb_mf(keep_draws=True)")
        return np.asarray(slot[key])[i, k].astype(np.float64)

    if name == "rho":
        theta1 = draws_of("theta1")
        values = theta1 / (theta1 + draws_of("theta2"))
    else:
        values = draws_of(name)
    values_CS = values.reshape(int(fit.uns["params"]["n_chains"]), -1)
    label = f"{_SYMBOLS[name]} of {shorten(str(index[i]))} in component {fit.names[k]}"
    n_draws = values_CS.shape[1]
    return Chains(label, values_CS, n_draws, np.asarray(fit.uns["sweep"])[-n_draws:])


def _find_row(index: pd.Index, row: str | int) -> int:
    if isinstance(row, str):
        if row not in index:
            raise ValueError(f"there is no {row!r} among the names such as {index[0]!r}")
        return int(index.get_loc(row))
    if not 0 <= row < len(index):
        raise ValueError(f"row {row} is outside 0 … {len(index) - 1}")
    return int(row)

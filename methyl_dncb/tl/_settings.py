"""The arguments of a fit, checked once and kept in one form: for the sampler, for `params`, for a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _check
from .._data import read_betas
from ..model._schedule import Schedule
from ..model._state import Priors, Problem

if TYPE_CHECKING:
    from anndata import AnnData

    from .._data import Betas

Init = Literal["nmf", "prior"] | tuple[np.ndarray, np.ndarray, np.ndarray]

AUTO = "auto"
FACTORS = ("theta1", "theta2", "phi")
SHAPE_START = (0.75, 0.75)  # where learned shapes begin; they forget it within some hundred sweeps


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides a fit, besides β: the same settings give the same bits."""

    n_components: int
    shape: str | tuple[float, ...]
    n_burnin: str | int
    n_draws: int
    thin: int
    n_chains: int
    prior: tuple[float, ...]
    layer: str | None
    mask: str | None
    mask_var: str | np.ndarray | None
    init: Init
    rng: np.ndarray
    keep_draws: bool

    def problem(self, beta_NM: np.ndarray) -> Problem:
        """What the chains condition on."""
        learned = self.shape == AUTO
        shape = SHAPE_START if learned else self.shape
        return Problem(beta_NM, self.n_components, shape, Priors(*self.prior), learn_shape=learned)

    def schedule(self) -> Schedule:
        """How long the chains run."""
        n_burnin = None if self.n_burnin == AUTO else self.n_burnin
        return Schedule(n_burnin, self.n_draws, self.thin, self.n_chains)

    def params(self) -> dict[str, Any]:
        """The arguments that repeat the fit, in forms that a file can hold."""
        params = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("shape", "prior"):
            params[name] = np.array(params[name]) if isinstance(params[name], tuple) else params[name]
        if not isinstance(self.init, str):
            params["init"] = dict(zip(FACTORS, self.init, strict=True))
        return params


def check_settings(adata: AnnData, arguments: dict[str, Any]) -> tuple[Settings, Betas]:
    """The arguments of `tl.dncb_mf`, and the β values they choose; says what is wrong before any work."""
    plain = dict(arguments)
    plain["n_components"] = _check.whole_number("n_components", plain["n_components"], least=1)
    for name in ("n_draws", "thin", "n_chains"):
        plain[name] = _check.whole_number(name, plain[name], least=1)
    plain["n_burnin"] = _auto_or(plain["n_burnin"]) or _check.whole_number("n_burnin", plain["n_burnin"], least=0)
    plain["shape"] = _auto_or(plain["shape"]) or _check.positive_numbers("shape", plain["shape"], length=2)
    plain["prior"] = _check.positive_numbers("prior", plain["prior"], length=4)
    plain["rng"] = _check.seed_words(plain["rng"])
    plain["keep_draws"] = bool(plain["keep_draws"])
    betas = read_betas(adata, layer=plain["layer"], mask=plain["mask"], mask_var=plain["mask_var"])
    plain["mask_var"] = betas.mask_var
    plain["init"] = _check_init(plain["init"], (*betas.beta_NM.shape, plain["n_components"]))
    return Settings(**plain), betas


def _auto_or(value: Any) -> str | None:
    """`AUTO` if that is what was passed."""
    if isinstance(value, str) and value != AUTO:
        raise ValueError(f'the only word allowed here is "{AUTO}", not {value!r}; otherwise pass numbers')
    return AUTO if isinstance(value, str) else None


def _check_init(init: Any, dims: tuple[int, int, int]) -> Init:
    """`init` as a name or three positive arrays of the right shapes; a dict is what `params` holds after a file."""
    N, M, K = dims
    if isinstance(init, str):
        if init not in ("nmf", "prior"):
            raise ValueError(f'init must be "nmf", "prior" or arrays (theta1, theta2, phi), not {init!r}')
        return init
    if isinstance(init, dict):
        init = tuple(init.get(name) for name in FACTORS)
    if not isinstance(init, tuple | list) or len(init) != 3:
        raise TypeError('init must be "nmf", "prior" or three arrays (theta1, theta2, phi)')
    arrays = tuple(np.asarray(array, dtype=np.float64) for array in init)
    for name, array, wanted in zip(FACTORS, arrays, ((N, K), (N, K), (M, K)), strict=True):
        if array.shape != wanted:
            raise ValueError(f"init: {name} has shape {array.shape}, but {wanted} is needed")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise ValueError(f"init: {name} must be finite and not below 0")
    return arrays

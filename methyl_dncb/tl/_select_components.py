from __future__ import annotations

import inspect
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scanpy import logging as logg

from .. import _check
from .._data import IF_PRESENT, read_betas
from .._progress import progress_bar
from ._one_standard_error import recommend
from ._study import MODELS, Run, Study
from ._study_table import Table, stored_seed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd
    from anndata import AnnData

    from .._data import MaskVar

# Arguments of the fits that the study itself sets.
RESERVED = {"adata", "n_components", "shape", "layer", "mask", "mask_var", "rng", "n_jobs", "keep_draws"}
RESERVED |= {"key_added", "copy", "progress", "checkpoint", "checkpoint_interval", "resume"}


def select_components(
    adata: AnnData,
    n_components: int | Sequence[int] = (4, 8, 10, 14, 20, 30),
    shape: float | Sequence[float] = (0.25, 0.75),
    *,
    model: Literal["dncb_mf", "bg_nmf", "nmf"] = "dncb_mf",
    n_masks: int = 3,
    n_inits: int = 3,
    fraction: float = 0.1,
    layer: str | None = None,
    mask_var: MaskVar = IF_PRESENT,
    path: Path | str | None = None,
    rng: np.random.Generator | int | None = None,
    n_jobs: int | None = None,
    key_added: str = "select_components",
    progress: bool | None = None,
    **arguments: Any,
) -> pd.DataFrame:
    """Choose the number of components, and the shape ε, by how well held-out values are predicted.

    This is the paper's study on your data: `n_masks` times a random `fraction` of entries is held out, the
    same for all settings, and for each the model is fitted from `n_inits` random starts. The recommendation
    follows the one-standard-error rule: the fewest components whose mean log PPD lies within one standard
    error of the best.

    Parameters
    ----------
    adata
        β values between 0 and 1, samples × genes.
    n_components
        Numbers of components to try.
    shape
        Shapes ε = ε₁ = ε₂ to try; only `dncb_mf` has them.
    model
        The model to fit.
    n_masks, n_inits
        Number of random masks, and of starts for each. The defaults are the paper's.
    fraction
        Fraction of observed entries in a mask.
    layer, mask_var
        As in `tl.dncb_mf`.
    path
        File for the table of results. They land there as they come, as CSV; if it exists, the runs in it are
        not repeated.
    rng
        Seed or generator. When resuming from `path`, None takes the seed that was used before.
    n_jobs
        Runs at a time, each in a process with one thread; all available cores by default.
    key_added
        Key in `uns` to write.
    progress
        Whether to show a progress bar over all runs; by default in terminals and notebooks.
    **arguments
        Further arguments of the model, such as `n_burnin` or `prior`.

    Returns
    -------
    DataFrame
        One row per run: `model`, `n_components`, `shape`, `mask`, `init`, the figures of `tl.heldout_score`, and
        `seconds`. Also sets `uns[key_added]` with this `table` and the `recommendation`: `n_components`,
        `shape`, and the `reason` in words.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(n_obs=60, n_vars=120, strength=30, rng=0)
    >>> table = md.tl.select_components(
    ...     adata, (2, 6), model="bg_nmf", n_masks=2, n_inits=1, n_jobs=1, rng=0
    ... )
    >>> len(table)
    4
    >>> adata.uns["select_components"]["recommendation"]["n_components"]
    6
    """
    runs = _runs(model, n_components, shape, n_masks, n_inits)
    arguments = _complete(model, arguments)
    fraction = _check.fraction("fraction", fraction, zero=False)
    threads = _check.job_count(n_jobs)
    key_added = _check.key_stem(key_added, "select_components")
    beta_NM = read_betas(adata, layer=layer, mask_var=mask_var).beta_NM
    if not ((beta_NM > 0) & (beta_NM < 1)).any():
        raise ValueError("all values are exactly 0 or 1, where densities are not finite; nothing can be compared")
    seed = stored_seed(path) if rng is None else None
    study = Study(model, beta_NM, _check.seed_words(rng) if seed is None else seed, fraction, arguments)
    table = Table(study, path)

    todo = [run for run in runs if run not in table]
    with progress_bar(len(runs), "Fits", unit="fit", progress=progress) as bar:
        bar.update(len(runs) - len(todo))
        for row in _in_parallel(study, todo, threads):
            table.add(row)
            bar.update()
    frame = table.frame(runs)
    recommendation = recommend(frame)
    adata.uns[key_added] = {"table": frame, "recommendation": recommendation}
    logg.info(recommendation["reason"])
    return frame


def _runs(model: str, n_components: Any, shape: Any, n_masks: int, n_inits: int) -> list[Run]:
    """All runs, settings slowest to change."""
    if model not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}, not {model!r}")
    counts = [_check.whole_number("n_components", k, least=1) for k in np.atleast_1d(np.asarray(n_components, object))]
    shapes = [float("nan")]
    if model == "dncb_mf":
        if isinstance(shape, str):
            raise TypeError(f"shape takes numbers to compare, not {shape!r}; tl.dncb_mf(shape='auto') learns one")
        values = [shape] if isinstance(shape, Real) else list(shape)
        shapes = [_check.positive_numbers("shape", value, length=1)[0] for value in values]
    if not counts or not shapes:
        raise ValueError("n_components and shape must each have at least one value to try")
    masks = range(_check.whole_number("n_masks", n_masks, least=1))
    inits = range(_check.whole_number("n_inits", n_inits, least=1))
    settings = dict.fromkeys((k, e) for k in counts for e in shapes)
    return [Run(model, k, e, mask, init) for k, e in settings for mask in masks for init in inits]


def _complete(model: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """All arguments of the model that the study does not set itself, with their defaults filled in."""
    signature = inspect.signature(MODELS[model]).parameters
    defaults = {name: parameter.default for name, parameter in signature.items() if name not in RESERVED}
    unknown = set(arguments) - set(defaults)
    if unknown:
        raise TypeError(
            f"select_components does not take {', '.join(sorted(unknown))}; "
            f"further arguments for {model} are {', '.join(sorted(defaults))}"
        )
    if not isinstance(arguments.get("init", ""), str):
        raise TypeError("init takes a name here: arrays would start all runs at one place, whatever their K")
    return defaults | arguments


def _in_parallel(study: Study, runs: list[Run], n_jobs: int):
    """Results in the order in which they are done."""
    from joblib import Parallel, delayed

    return Parallel(n_jobs=min(n_jobs, max(len(runs), 1)), return_as="generator_unordered")(
        delayed(study.do)(run) for run in runs
    )

"""`methyl-dncb select`: how many components, by how well held-out values are predicted."""

from __future__ import annotations

import json
import math
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer

from ._input import read_adata
from ._options import Json, Quiet, report


def select(
    file: Annotated[Path, typer.Argument(help="AnnData of β values (.h5ad).", exists=True, dir_okay=False)],
    n_components: Annotated[
        str, typer.Option("--n-components", "-k", help="Numbers of components to try, separated by commas.")
    ] = "4,8,10,14,20,30",
    shape: Annotated[str, typer.Option(help="Shapes ε to try, separated by commas (dncb_mf only).")] = "0.25,0.75",
    model: Annotated[str, typer.Option(help="Model to fit: dncb_mf, bg_nmf or nmf.")] = "dncb_mf",
    n_masks: Annotated[int, typer.Option(help="Random masks, the same for all settings.")] = 3,
    n_inits: Annotated[int, typer.Option(help="Random starts for each mask.")] = 3,
    fraction: Annotated[float, typer.Option(help="Share of entries in a mask.")] = 0.1,
    n_burnin: Annotated[int, typer.Option(help="Sweeps before the first draw (dncb_mf only).")] = 1000,
    n_draws: Annotated[int, typer.Option(help="Draws to predict from (not nmf).")] = 100,
    thin: Annotated[int, typer.Option(help="Sweeps from one draw to the next (dncb_mf only).")] = 20,
    layer: Annotated[str | None, typer.Option(help="Layer with the β values.", show_default="X")] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            "-t",
            help="CSV file for the results; they land there as they come, and runs in it are not repeated.",
            show_default="FILE.select.csv",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed; a resumed study takes the one in its table.")] = None,
    n_jobs: Annotated[int, typer.Option("--n-jobs", "-j", help="Fits at a time, one core each; -1: all cores.")] = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Choose the number of components, and the shape, from how well held-out values are predicted.

    A share of the values is held out at random, the same for every setting; each setting is fitted to the rest
    from several starts and scored on them. Recommended is the setting with the fewest components whose score lies
    within one standard error of the best. The file itself is not changed.

    Exit codes: 0 done; 1 the file or an option cannot be used (one line on stderr names it); 2 wrong usage.

    Example: methyl-dncb select beta.h5ad -k 4,8,10,14 --seed 0 -j 2
    """
    from .. import tl
    from ..tl._one_standard_error import summarise_settings

    table = file.with_suffix(".select.csv") if table is None else table
    arguments = {} if model == "nmf" else {"n_draws": n_draws}
    if model == "dncb_mf":
        arguments |= {"n_burnin": n_burnin, "thin": thin}
    adata = read_adata(file)
    runs = tl.select_components(
        adata,
        _numbers("--n-components", n_components, int),
        _numbers("--shape", shape, float),
        model=model,
        n_masks=n_masks,
        n_inits=n_inits,
        fraction=fraction,
        layer=layer,
        path=table,
        rng=seed,
        n_jobs=n_jobs,
        progress=False if quiet else None,
        **arguments,
    )
    settings = summarise_settings(runs).dropna(axis="columns", how="all")
    recommendation = adata.uns["select_components"]["recommendation"]
    reason = recommendation["reason"]
    sentence = f"{settings.to_string(index=False, float_format='{:.4f}'.format)}\n{reason}\nAll runs are in {table}."
    summary = {
        "table": str(table),
        "n_components": recommendation["n_components"],
        "shape": None if math.isnan(recommendation["shape"]) else recommendation["shape"],
        "reason": reason,
        "settings": json.loads(settings.to_json(orient="records")),
    }
    report(summary, sentence, quiet=quiet, as_json=as_json)


def _numbers(option: str, text: str, kind: type) -> list:
    """Numbers separated by commas."""
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{option} takes numbers separated by commas, such as 4,8,10, not {text!r}") from None

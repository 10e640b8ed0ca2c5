"""`methyl-dncb fit`: from an AnnData of β to one with a fit."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._atomic import atomic_path, check_output
from ._input import read_adata
from ._options import Jobs, Json, Quiet, Seed, report

if TYPE_CHECKING:
    from anndata import AnnData


def fit(
    file: Annotated[Path, typer.Argument(help="AnnData of β values (.h5ad).", exists=True, dir_okay=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write (.h5ad).", show_default=False)],
    n_components: Annotated[int, typer.Option("--n-components", "-k", help="Number of components.")] = 14,
    shape: Annotated[
        str, typer.Option(help="Shape ε: a number, two separated by a comma, or auto to learn it.")
    ] = "0.75",
    n_burnin: Annotated[str, typer.Option(help="Sweeps before the first draw, or auto.")] = "1000",
    n_draws: Annotated[int, typer.Option(help="Draws to keep of each chain.")] = 100,
    thin: Annotated[int, typer.Option(help="Sweeps from one draw to the next.")] = 20,
    n_chains: Annotated[int, typer.Option(help="Independent chains; several show what can be trusted.")] = 1,
    layer: Annotated[str | None, typer.Option(help="Layer with the β values.", show_default="X")] = None,
    mask: Annotated[str | None, typer.Option(help="Boolean layer of entries to hold out.", show_default="none")] = None,
    all_genes: Annotated[
        bool, typer.Option("--all-genes", help="Use all genes, not only the highly variable.")
    ] = False,
    keep_draws: Annotated[bool, typer.Option("--keep-draws", help="Store the draws; intervals need them.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File (.zarr or .npz) to save a long run in.", show_default="none")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Checkpoint to continue.", show_default="none")] = None,
    seed: Seed = None,
    n_jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit DNCB-MF to β values and write the file with the fit in it.

    The output holds all that the input does, and the fit: the embedding in obsm, the weights of genes in varm,
    settings and diagnostics in uns. It appears under its name only when complete.

    Exit codes: 0 done; 1 the file or an option cannot be used (one line on stderr names it); 2 wrong usage.

    Example: methyl-dncb fit beta.h5ad -k 14 --n-chains 4 --seed 0 -o fitted.h5ad
    """
    from .. import tl

    check_output(output, suffix=".h5ad")
    arguments: dict[str, Any] = {"mask_var": None} if all_genes else {}
    adata = read_adata(file)
    tl.dncb_mf(
        adata,
        n_components,
        shape=_shape(shape),
        n_burnin="auto" if n_burnin == "auto" else _number("--n-burnin", n_burnin, int),
        n_draws=n_draws,
        thin=thin,
        n_chains=n_chains,
        layer=layer,
        mask=mask,
        rng=seed,
        n_jobs=n_jobs,
        keep_draws=keep_draws,
        checkpoint=checkpoint,
        resume=resume,
        progress=False if quiet else None,
        **arguments,
    )
    with atomic_path(output) as temporary:
        adata.write_h5ad(temporary)
    summary = {"output": str(output), **_summary(adata)}
    sentence = (
        f"{output}: {summary['n_components']} components of {adata.n_obs} samples in {summary['seconds']:.0f} s.\n"
        f"{summary['verdict']}"
    )
    report(summary, sentence, quiet=quiet, as_json=as_json)


def _summary(adata: AnnData) -> dict[str, Any]:
    """What a pipeline wants to know of a fit."""
    uns = adata.uns["dncb_mf"]
    return {
        "n_samples": adata.n_obs,
        "n_genes": int((adata.varm["dncb_mf_phi"][:, 0] >= 0).sum()),
        "n_components": int(uns["params"]["n_components"]),
        "n_chains": int(uns["params"]["n_chains"]),
        "shape": [float(value) for value in uns["shape"]],
        "log_likelihood": float(uns["log_likelihood"][:, -1].mean()),
        "r_hat": _or_null(uns["r_hat"]),
        "ess": _or_null(uns["ess"]),
        "verdict": uns["verdict"],
        "seconds": float(uns["seconds"]),
    }


def _or_null(value: float) -> float | None:
    """NaN is no JSON."""
    return None if value != value else float(value)


def _shape(text: str) -> float | tuple[float, ...] | str:
    if text == "auto":
        return text
    values = tuple(_number("--shape", part, float) for part in text.split(","))
    return values[0] if len(values) == 1 else values


def _number(option: str, text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{option} takes a number or auto, not {text!r}") from None

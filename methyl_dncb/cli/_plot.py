"""`methyl-dncb plot`: all figures of a fit, as files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from ._atomic import atomic_path
from ._options import FittedFile, GroupBy, Json, Key, Quiet, report


def plot(
    file: FittedFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the figures; made if need be.")] = Path(
        "figures"
    ),
    groupby: GroupBy = None,
    key: Key = "dncb_mf",
    file_format: Annotated[Literal["png", "pdf", "svg"], typer.Option("--format", help="Kind of file.")] = "png",
    dpi: Annotated[int, typer.Option(help="Resolution of PNG files, and of images within the others.", min=50)] = 300,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Draw the figures of a fit: data, traces, embedding, top genes, and components by group.

    With draws in the file (fit --keep-draws), credible intervals and checks of predictions are drawn, too.

    Exit codes: 0 done; 1 the file or an option cannot be used (one line on stderr names it); 2 wrong usage.

    Example: methyl-dncb plot fitted.h5ad --groupby subtype --out figures
    """
    import anndata as ad
    import matplotlib as mpl

    from ..get._fit import find_fit
    from . import _figures

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    adata = ad.read_h5ad(file)
    find_fit(adata, key)
    groups = _figures.choose_groups(adata, groupby)
    out.mkdir(parents=True, exist_ok=True)
    pictures = [
        *_figures.pictures_of_data(adata, groups, key),
        *_figures.pictures_of_diagnostics(adata, key),
        *_figures.pictures_of_components(adata, groups, key),
        *_figures.pictures_of_groups(adata, groups, key),
    ]
    paths = []
    for picture in pictures:
        path = out / f"{_file_name(picture.name)}.{file_format}"
        figure = picture.draw()
        with atomic_path(path) as temporary:
            figure.savefig(temporary, dpi=dpi)
        plt.close(figure)
        paths.append(path)
    report({"figures": [str(path) for path in paths]}, "\n".join(map(str, paths)), quiet=quiet, as_json=as_json)


def _file_name(name: str) -> str:
    """A name that every file system takes: a column of `obs` may be called anything."""
    return re.sub(r"[^\w.-]+", "_", name)

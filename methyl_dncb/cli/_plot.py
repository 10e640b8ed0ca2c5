"""`methyl-dncb plot`: all figures of a fit, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ._input import read_adata
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
    from ..get._fit import find_fit
    from ._figures import all_pictures, choose_groups, save_pictures

    adata = read_adata(file)
    find_fit(adata, key)
    pictures = all_pictures(adata, choose_groups(adata, groupby), key)
    paths = save_pictures(pictures, out, file_format=file_format, dpi=dpi)
    report({"figures": [str(path) for path in paths]}, "\n".join(map(str, paths)), quiet=quiet, as_json=as_json)

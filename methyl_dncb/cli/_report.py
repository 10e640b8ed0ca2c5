"""`methyl-dncb report`: a fit on one page that needs nothing beside itself."""

from __future__ import annotations

import base64
import io
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer

from ._atomic import atomic_path, check_output
from ._input import read_adata
from ._options import FittedFile, GroupBy, Json, Key, Quiet, report

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anndata import AnnData

    from ._figures import Picture

_DPI = 200
_ZOOM = 1.5  # of figures on a screen; on a narrow one they shrink to the size of print, and then scroll
_HIDDEN = {"rng", "init", "mask_var"}  # settings that are arrays, or seeds of many digits


def report_page(
    file: FittedFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Page to write.")] = Path("report.html"),
    groupby: GroupBy = None,
    key: Key = "dncb_mf",
    title: Annotated[str | None, typer.Option(help="Title of the page.", show_default="the file's name")] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write a fit as one web page: data, diagnostics, embedding, top genes, groups.

    The page holds its images, loads nothing and can be sent by mail.

    Exit codes: 0 done; 1 the file or an option cannot be used (one line on stderr names it); 2 wrong usage.

    Example: methyl-dncb report fitted.h5ad --groupby subtype -o report.html
    """
    import matplotlib as mpl

    from ..get._fit import find_fit

    mpl.use("Agg")
    check_output(output)
    adata = read_adata(file)
    find_fit(adata, key)
    page = render(adata, title or file.stem, groupby=groupby, key=key)
    with atomic_path(output) as temporary:
        temporary.write_text(page, encoding="utf-8")
    report({"report": str(output), "bytes": len(page.encode())}, str(output), quiet=quiet, as_json=as_json)


def render(adata: AnnData, title: str, *, groupby: list[str] | None, key: str) -> str:
    """The page as text."""
    from .. import __version__, get
    from . import _figures

    groups = _figures.choose_groups(adata, groupby)
    top = get.top_genes(adata, 10, key=key).groupby("component", sort=False)["gene"].agg(", ".join)
    uns = adata.uns[key]
    diagnostics = [f"<p class='verdict'>{escape(str(uns['verdict']))}.</p>"] if "verdict" in uns else []
    for name, first in (("diagnostics", "quantity"), ("components", "component")):
        if isinstance(uns.get(name), pd.DataFrame):
            diagnostics.append(_table(uns[name], first))
    sections = {
        "Data": [_facts(_facts_of_data(adata, uns)), *_draw(_figures.pictures_of_data(adata, groups, key))],
        "Fit": [_facts(_facts_of_fit(uns))],
        "Diagnostics": [*diagnostics, *_draw(_figures.pictures_of_diagnostics(adata, key))],
        "Components": [
            *_draw(_figures.pictures_of_components(adata, groups, key)),
            _table(top.rename("ten genes with the highest weights").to_frame(), "component", "words"),
        ],
        "Groups": _draw(_figures.pictures_of_groups(adata, groups, key)),
    }
    sections = {name: parts for name, parts in sections.items() if parts}
    body = "\n".join(
        f'<section id="{name.lower()}">\n<h2>{name}</h2>\n' + "\n".join(parts) + "\n</section>"
        for name, parts in sections.items()
    )
    links = "\n".join(f'<a href="#{name.lower()}">{name}</a>' for name in sections)
    template = Template((files(__package__) / "_report.html").read_text(encoding="utf-8"))
    return template.substitute(title=escape(title), links=links, body=body, version=escape(__version__))


def _facts_of_data(adata: AnnData, uns: dict[str, Any]) -> dict[str, Any]:
    from .._data import read_betas

    betas = read_betas(adata, layer=uns["params"].get("layer"), mask_var=None)
    size = betas.beta_NM.size
    return {
        "samples": f"{adata.n_obs:,}",
        "genes": f"{adata.n_vars:,}",
        "missing": f"{betas.n_missing / size:.1%}",
        "exactly 0 or 1": f"{betas.n_exact / size:.1%}",
        "mean β": f"{np.nanmean(betas.beta_NM, dtype=np.float64):.3f}",
    }


def _facts_of_fit(uns: dict[str, Any]) -> dict[str, Any]:
    facts = {name: _words(value) for name, value in uns["params"].items() if name not in _HIDDEN and value is not None}
    facts["shape"] = _words(uns.get("shape", uns["params"].get("shape")))
    if "seconds" in uns:
        facts["seconds"] = f"{uns['seconds']:.0f}"
    return facts | {name: str(version) for name, version in uns.get("versions", {}).items()}


def _words(value: Any) -> str:
    return ", ".join(f"{number:.3g}" for number in np.ravel(value)) if isinstance(value, np.ndarray) else str(value)


def _facts(facts: dict[str, Any]) -> str:
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(str(value))}</dd></div>" for name, value in facts.items())
    return f"<dl>{items}</dl>"


def _table(table: pd.DataFrame, first: str, kind: str = "numbers") -> str:
    """A table with its index as the first column, called `first`."""
    shown = table.rename_axis(first).reset_index()
    text = shown.to_html(float_format="{:.2f}".format, border=0, na_rep="–", index=False, classes=kind)
    return f'<div class="scroll">{text}</div>'


def _draw(pictures: Iterable[Picture]) -> list[str]:
    """Figures with their image inside."""
    from matplotlib import pyplot as plt

    parts = []
    for picture in pictures:
        figure = picture.draw()
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=_DPI)
        width, _ = figure.get_size_inches()
        plt.close(figure)
        image = base64.b64encode(buffer.getvalue()).decode()
        caption = escape(picture.caption)
        parts.append(
            f'<figure><div class="scroll"><img style="width:{_ZOOM * width:.2f}in; min-width:{0.9 * width:.2f}in" '
            f'alt="{caption}" src="data:image/png;base64,{image}"></div><figcaption>{caption}</figcaption></figure>'
        )
    return parts

"""Arguments that several commands share, and the one way in which they report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

FittedFile = Annotated[Path, typer.Argument(help="AnnData with a fit (.h5ad).", exists=True, dir_okay=False)]
Seed = Annotated[int | None, typer.Option(help="Seed; the same seed gives the same result.", show_default="random")]
Jobs = Annotated[int, typer.Option("--n-jobs", "-j", help="Threads; -1: all cores.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors (and JSON, if asked for).")]
Json = Annotated[bool, typer.Option("--json", help="Print a summary as one JSON object on stdout.")]
Key = Annotated[str, typer.Option(help="Stem of the fit's keys.")]
GroupBy = Annotated[
    list[str] | None,
    typer.Option(
        "--groupby",
        "-g",
        help="Column of obs to group samples by; may be given several times.",
        show_default="the first with 2 to 20 groups",
    ),
]


def report(summary: dict[str, Any], sentence: str, *, quiet: bool, as_json: bool) -> None:
    """Say what was done: as JSON for programs, else in a sentence for people."""
    if as_json:
        typer.echo(json.dumps(summary, ensure_ascii=False))
    elif not quiet:
        typer.echo(sentence)

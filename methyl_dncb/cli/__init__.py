"""The command `methyl-dncb`: one function a file, registered here by one line each."""

from __future__ import annotations

import sys
import warnings

import typer

from ._beta import beta
from ._demo import demo
from ._fit import fit
from ._plot import plot
from ._report import report_page
from ._select import select

app = typer.Typer(
    name="methyl-dncb",
    help="From methylation calls to β, and from β to factors.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # boxes would cut names short on narrow terminals
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo)
app.command("beta")(beta)
app.command("select")(select)
app.command("fit")(fit)
app.command("plot")(plot)
app.command("report")(report_page)


def main() -> None:
    """Run the command; what the package refuses becomes one line on stderr and exit code 1."""
    try:
        with warnings.catch_warnings():
            # One line for a warning too, rather than the source line that raised it.
            warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
            app()
    except (ValueError, TypeError, ImportError, OSError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        print(f"methyl-dncb: error: {message}", file=sys.stderr)
        sys.exit(1)


__all__ = ["app", "main"]

"""The directive `command-help`: what a command prints for `--help`, taken from the command itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from docutils.parsers.rst import Directive
from typer.testing import CliRunner

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WIDTH = 88


class CommandHelp(Directive):
    """Help of `methyl-dncb`, or of one of its commands."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The help as a literal block."""
        from methyl_dncb.cli import app

        runner = CliRunner(env={"COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH), "NO_COLOR": "1"})
        result = runner.invoke(app, [*self.arguments, "--help"], prog_name="methyl-dncb")
        if result.exit_code:
            raise self.error(f"methyl-dncb {' '.join(self.arguments)} --help failed: {result.output}")
        text = "\n".join(line.rstrip() for line in result.output.strip("\n").splitlines())
        return [nodes.literal_block(text, text, language="none", classes=["command-help"])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

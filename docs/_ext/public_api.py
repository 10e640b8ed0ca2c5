"""The reference covers what the package offers: no public name without a page, and `tl.dncb_mf` is a link."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils import unescape
from sphinx.addnodes import pending_xref
from sphinx.errors import ExtensionError

if TYPE_CHECKING:
    from docutils.parsers.rst.states import Inliner
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

PACKAGE = "methyl_dncb"


@cache
def public_names() -> frozenset[str]:
    """Every name in the `__all__` of a public subpackage."""
    subpackages = importlib.import_module(PACKAGE).__all__
    return frozenset(
        f"{PACKAGE}.{name}.{member}"
        for name in subpackages
        for member in importlib.import_module(f"{PACKAGE}.{name}").__all__
    )


def check_complete(app: Sphinx, env: BuildEnvironment) -> None:
    """Stop the build where a public name has no entry in the reference."""
    missing = public_names() - set(env.domains["py"].objects)
    if missing:
        raise ExtensionError(f"docs/api lists no {', '.join(sorted(missing))}")


def code_role(name: str, rawtext: str, text: str, lineno: int, inliner: Inliner, options=None, content=()) -> tuple:
    """Text in single backticks: `tl.dncb_mf` and other public names are links, everything else is code as it stands."""
    text = unescape(text)
    literal = nodes.literal(rawtext, text)
    target = f"{PACKAGE}.{text}"
    if target not in public_names():
        return [literal], []
    docname = inliner.document.settings.env.docname
    link = {"refdomain": "py", "reftype": "obj", "reftarget": target, "refdoc": docname, "refwarn": True}
    return [pending_xref(rawtext, literal, refexplicit=True, **link)], []


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the role, and check when all pages are read."""
    app.add_role("public-code", code_role)
    app.connect("env-check-consistency", check_complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

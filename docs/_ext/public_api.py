"""The reference covers what the package offers: no public name without a page, and `tl.dncb_mf` is a link."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from sphinx.errors import ExtensionError

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

PACKAGE = "methyl_dncb"


def public_names() -> set[str]:
    """Every name in the `__all__` of a public subpackage."""
    subpackages = importlib.import_module(PACKAGE).__all__
    return {
        f"{PACKAGE}.{name}.{member}"
        for name in subpackages
        for member in importlib.import_module(f"{PACKAGE}.{name}").__all__
    }


def check_complete(app: Sphinx, env: BuildEnvironment) -> None:
    """Stop the build where a public name has no entry in the reference."""
    missing = public_names() - set(env.domains["py"].objects)
    if missing:
        raise ExtensionError(f"docs/api lists no {', '.join(sorted(missing))}")


def link_short_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, text: nodes.Element) -> nodes.Node | None:
    """Resolve `tl.dncb_mf` as `methyl_dncb.tl.dncb_mf`."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or "." not in target:
        return None
    domain, full_name = env.domains["py"], f"{PACKAGE}.{target}"
    if full_name not in domain.objects:
        return None
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", full_name, node, text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Check when all pages are read; help when a link is not found."""
    app.connect("env-check-consistency", check_complete)
    app.connect("missing-reference", link_short_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

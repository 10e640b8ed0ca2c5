"""Equations as MathML: browsers draw it by themselves, so pages need neither a script nor the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

# Commands of LaTeX that docutils does not know by this name.
SYNONYMS = {r"\dots": r"\ldots"}


def to_mathml(tex: str, *, as_block: bool) -> str:
    """The equation as a `math` element."""
    for name, known in SYNONYMS.items():
        tex = tex.replace(name, known)
    return tex2mathml(tex, as_block=as_block)


def visit_inline(writer: HTML5Translator, node: nodes.math) -> None:
    """Write an equation within a line."""
    writer.body.append(to_mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def visit_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write an equation on its own line, with its number if it has one."""
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({node["number"]})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(to_mathml(node.astext(), as_block=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer; `html_math_renderer = "mathml"` takes it."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

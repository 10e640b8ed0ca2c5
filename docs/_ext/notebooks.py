"""Bring the notebooks of `tutorials/` into the source folder, where Sphinx looks for pages."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def copy_notebooks(app: Sphinx) -> None:
    """Copy those that have changed, and drop those that are gone."""
    source, target = Path(app.srcdir).parent / "tutorials", Path(app.srcdir) / "tutorials"
    target.mkdir(exist_ok=True)
    notebooks = {path.name: path for path in source.glob("*.ipynb")}
    for old in target.glob("*.ipynb"):
        if old.name not in notebooks:
            old.unlink()
    for name, path in notebooks.items():
        if not (target / name).exists() or (target / name).read_bytes() != path.read_bytes():
            shutil.copyfile(path, target / name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Copy before Sphinx lists its pages."""
    app.connect("builder-inited", copy_notebooks, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

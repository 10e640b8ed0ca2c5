"""The architecture, as far as a test can see it."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import methyl_dncb as md

PACKAGE = Path(md.__file__).parent
SUBPACKAGES = ["datasets", "get", "io", "pl", "pp", "stats", "tl"]
PUBLIC = [
    (f"{sub}.{name}", getattr(getattr(md, sub), name))
    for sub in SUBPACKAGES
    if sub != "stats"
    for name in getattr(getattr(md, sub), "__all__", [])
    if inspect.isfunction(getattr(getattr(md, sub), name))
]
# Floors of the house: a module may import from its own floor or one below.
FLOORS = {"model": 0, "stats": 0, "_keys": 1, "_data": 1, "_check": 1, "_progress": 1}
TOP_FLOOR = 2


def floor_of(module: str) -> int:
    return FLOORS.get(module.split(".")[1], TOP_FLOOR) if "." in module else TOP_FLOOR


def imports(path: Path):
    """Absolute names of what a file of the package imports."""
    here = ["methyl_dncb", *path.relative_to(PACKAGE).with_suffix("").parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: -node.level] if node.level else []
            yield from (".".join([*base, *filter(None, [node.module]), alias.name]) for alias in node.names)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down_only(path):
    module = ".".join(["methyl_dncb", *path.relative_to(PACKAGE).with_suffix("").parts])
    if module in ("methyl_dncb.__init__", "methyl_dncb.__main__"):
        return
    for name in imports(path):
        if name.startswith("methyl_dncb."):
            assert floor_of(name) <= floor_of(module), f"{module} imports {name}"
        elif floor_of(module) == 0:
            assert name.split(".")[0] not in {"anndata", "scanpy", "pandas", "matplotlib"}, f"{module} imports {name}"


@pytest.mark.parametrize(("name", "function"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_public_functions_follow_the_house_style(name, function):
    signature = inspect.signature(function)
    positional = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert len(positional) <= 3, name
    assert "Examples\n" in (function.__doc__ or ""), f"{name} has no example"
    assert all(p.annotation is not p.empty for p in signature.parameters.values()), f"{name} lacks type hints"
    assert signature.return_annotation is not signature.empty, f"{name} lacks a return type"
    documented = function.__doc__
    assert all(p in documented for p in signature.parameters), f"{name} leaves a parameter undocumented"


def test_import_is_light():
    """What only some functions need is imported by them."""
    heavy = ["arviz_stats", "dask", "decoupler", "marsilea", "pooch", "pysam", "snakemake", "typer"]
    code = "import sys, scanpy; before = set(sys.modules); import methyl_dncb; print(*(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(heavy) & set(run.stdout.split())

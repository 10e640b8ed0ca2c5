"""What the documentation says of formats is what there is."""

from __future__ import annotations

from pathlib import Path

from methyl_dncb import io
from methyl_dncb.io.formats import FORMATS

PAGE = Path(__file__).parents[2] / "docs" / "pipelines.md"


def test_every_format_is_documented():
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in io.FORMAT_NAMES)


def test_documented_bases():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    _, *rows = [line.split("|") for line in lines if line.startswith("| `")]
    bases = {name.strip(" `"): row[3] for row in rows for name in row[1].split(",")}
    assert set(bases) == set(io.FORMAT_NAMES)
    for name, form in FORMATS.items():
        assert f"{form.base}-based" in bases[name]

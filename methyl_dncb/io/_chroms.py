"""Two styles of naming chromosomes: "chr1" (UCSC, GENCODE) and "1" (Ensembl)."""

from __future__ import annotations

import re

PLAIN = re.compile(r"\d{1,2}[LRAB]?|[XYWZ]|MT?|I{1,3}|IV|VI{0,3}|I?X")
MITOCHONDRION = {"ucsc": "chrM", "ensembl": "MT"}


def restyle(name: str, style: str | None) -> str:
    """A chromosome's name in the given style; scaffolds, which have no other name, stay.

    Examples
    --------
    >>> restyle("1", "ucsc"), restyle("MT", "ucsc"), restyle("chrX", "ensembl"), restyle("GL000194.1", "ucsc")
    ('chr1', 'chrM', 'X', 'GL000194.1')
    """
    plain = name.removeprefix("chr")
    if style is None or not PLAIN.fullmatch(plain):
        return name
    if plain in ("M", "MT"):
        return MITOCHONDRION[style]
    return f"chr{plain}" if style == "ucsc" else plain

"""Two styles of naming chromosomes: "chr1" (UCSC, GENCODE; also "Chr1") and "1" (Ensembl)."""

from __future__ import annotations

import re

#: Numbers, with an arm or a subgenome behind some (2L, 1D); Roman numbers; sex chromosomes; the mitochondrion.
PLAIN = re.compile(r"\d{1,2}[A-Z]?|[IVX]{1,6}|[XYWZ]|MT?|Mito")
PREFIX = re.compile("chr", re.IGNORECASE)
MITOCHONDRION = {"ucsc": "chrM", "ensembl": "MT"}


def restyle(name: str, style: str | None) -> str:
    """A chromosome's name in the given style; scaffolds, which have no other name, stay.

    Examples
    --------
    >>> restyle("1", "ucsc"), restyle("MT", "ucsc"), restyle("chrX", "ensembl"), restyle("GL000194.1", "ucsc")
    ('chr1', 'chrM', 'X', 'GL000194.1')
    """
    plain = name[3:] if PREFIX.match(name) else name
    if style is None or not PLAIN.fullmatch(plain):
        return name
    if plain in ("M", "MT", "Mito"):
        return MITOCHONDRION[style]
    return f"chr{plain}" if style == "ucsc" else plain

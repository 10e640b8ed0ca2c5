"""Which genes a probe stands for: from a table or an Illumina manifest."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ..io._bytes import read_blocks
from ..io._errors import FormatError

if TYPE_CHECKING:
    from os import PathLike

PROBE_COLUMNS = ("probe", "IlmnID", "Name", "probe_id")
GENE_COLUMNS = ("gene", "UCSC_RefGene_Name", "gene_name")
#: EPICv2 tells replicates of a probe apart: strand, converted strand, and a number.
REPLICATE = re.compile(r"_[TB][CO]\d+$")


def probe_genes(mapping: pd.DataFrame | str | PathLike[str]) -> pd.DataFrame:
    """Pairs of `probe` and `gene`, each once; a manifest repeats a gene for each of its transcripts."""
    table = mapping if isinstance(mapping, pd.DataFrame) else read_manifest(Path(mapping))
    gene = next((name for name in GENE_COLUMNS if name in table.columns), None)
    if gene is None:
        raise ValueError(f"mapping has no column of genes; one of {', '.join(GENE_COLUMNS)} is needed")
    probes = [name for name in PROBE_COLUMNS if name in table.columns]
    keys = [table[name] for name in probes] or [table.index.to_series()]
    pairs = pd.concat([pd.DataFrame({"probe": key.astype(str), "gene": table[gene]}) for key in keys])
    pairs = pairs.dropna().assign(gene=lambda frame: frame["gene"].astype(str).str.split(";")).explode("gene")
    pairs["gene"] = pairs["gene"].str.strip()
    pairs = pairs[pairs["gene"] != ""].drop_duplicates(ignore_index=True)
    if pairs.empty:
        raise ValueError("mapping assigns no probe to a gene")
    return pairs


def match_probes(names: pd.Index, pairs: pd.DataFrame) -> pd.DataFrame:
    """Columns of a matrix (`column`) and genes; a replicate that is not listed counts as its probe."""
    listed = set(pairs["probe"])
    keys = [name if name in listed else REPLICATE.sub("", name) for name in names.astype(str)]
    columns = pd.DataFrame({"probe": keys, "column": range(len(keys))})
    return columns.merge(pairs, on="probe")[["column", "gene"]].drop_duplicates()


def read_manifest(path: Path) -> pd.DataFrame:
    """The assay section of an Illumina manifest, or a plain table of probes and genes."""
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such manifest")
    try:
        lines = b"".join(read_blocks(path)).decode("utf-8-sig").splitlines(keepends=True)
    except UnicodeDecodeError as error:
        raise FormatError("is not text (invalid UTF-8); a manifest in CSV form is needed", path) from error
    first = next((i + 1 for i, line in enumerate(lines) if line.startswith("[Assay]")), 0)
    last = next((i for i, line in enumerate(lines) if line.startswith("[Controls]")), len(lines))
    head = lines[first].rstrip("\r\n") if first < len(lines) else ""
    separator = "\t" if "\t" in head else ","
    names = {name.strip('"') for name in head.split(separator)}
    wanted = [name for name in (*PROBE_COLUMNS, *GENE_COLUMNS) if name in names]
    if not set(wanted) & set(PROBE_COLUMNS) or not set(wanted) & set(GENE_COLUMNS):
        raise FormatError("has no columns of probes and genes (IlmnID or Name, and UCSC_RefGene_Name)", path, first + 1)
    try:
        return pd.read_csv(io.StringIO("".join(lines[first:last])), sep=separator, usecols=wanted, dtype=str)
    except pd.errors.ParserError as error:
        raise FormatError(f"cannot be read as a manifest: {error}", path) from error

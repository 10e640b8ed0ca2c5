"""One file of calls: its loci, and what else it tells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ._chroms import restyle
from ._errors import FormatError
from ._loci import LociBuilder
from ._normalise import Rows
from ._sniff import ALIGNMENT, sniff
from ._table import read_tables
from .formats import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ._loci import Loci
    from ._options import CallOptions

COMBINED_CODE = "C"  # modkit pileup --combine-mods: any modified cytosine


@dataclass(slots=True)
class FileCalls:
    """What a file holds, as `read_calls` needs it."""

    path: Path
    format: str
    loci: Loci = field(default_factory=dict)
    span: int = 1
    """Bases a locus spans: two where both cytosines of a CpG are one locus."""
    modifications: str = ""
    """Which modifications were counted as methylated, where the file tells them apart."""
    lengths: dict[str, int] = field(default_factory=dict)
    """Lengths of the chromosomes, where the file gives them."""
    other_context: NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    """Methylated and unmethylated reads at cytosines outside CpG, whatever context is kept."""


def read_file(path: Path, format_name: str, options: CallOptions) -> FileCalls:
    """Read a file in the named format, or the one its content shows."""
    if format_name == "auto":
        format_name = sniff(path)
    if format_name == ALIGNMENT:
        from ._bam import read_alignments

        return read_alignments(path, options)
    return _read_text(path, format_name, options)


def _read_text(path: Path, format_name: str, options: CallOptions) -> FileCalls:
    form, builder = FORMATS[format_name], LociBuilder()
    calls = FileCalls(path, format_name)
    codes: set[str] = set()
    n_rows = 0
    for table in read_tables(path, form):
        rows = Rows(table, form, path)
        calls.span = max(calls.span, rows.span)
        keep = _keep_context(rows, options, calls)
        if "code" in form.columns:
            codes.update(table["code"].names)
            is_called = _keep_modification(rows, options)
            keep = is_called if keep is None else keep & is_called
        n_rows += len(table) if keep is None else int(keep.sum())
        for chrom, counts in rows.by_chromosome(pair_strands=options.pairs_strands, keep=keep):
            builder.add(restyle(chrom, options.chrom_style), counts)
    if not n_rows:
        found = f"; its modification codes are {', '.join(sorted(codes))}" if codes else ""
        raise FormatError(f"holds no {options.context} calls{found}", path)
    calls.loci = builder.build()
    if options.pairs_strands and {"strand", "base"} & set(form.columns):
        calls.span = 2
    if codes:
        # Combined calls cannot give 5mC alone.
        is_combined = any(code.split(",")[0] == COMBINED_CODE for code in codes)
        calls.modifications = "m+h" if is_combined else options.modifications
    return calls


def _keep_context(rows: Rows, options: CallOptions, calls: FileCalls) -> NDArray[np.bool_] | None:
    """Rows of the wanted context; None where the format does not tell contexts apart."""
    if "context" not in rows.form.columns:
        return None
    context = rows.table["context"]
    # CGmap writes "--" where the genome does not tell.
    other = context.where(lambda name: name.startswith("C") and not name.startswith("CG"))
    calls.other_context += rows.methylated[other].sum(), rows.unmethylated[other].sum()
    return context.where(re.compile(options.context_pattern).match)


def _keep_modification(rows: Rows, options: CallOptions) -> NDArray[np.bool_]:
    """Rows of 5mC in a modkit table; for "m+h" their other modifications move to the methylated."""
    # Codes look like "m", or "m,CG,0" where pileup was asked for motifs.
    called = re.compile(f"(m|{COMBINED_CODE})($|(?=,).*,{options.context_pattern[1:]})")
    other = rows.table["other_modified"]
    rows.refuse(other > rows.unmethylated, "methylated {methylated} + other {other_modified} exceed {coverage}")
    if options.modifications == "m+h":
        rows.methylated = rows.methylated + other
        rows.unmethylated = rows.unmethylated - other
    return rows.table["code"].where(called.match)

"""Call files of an nf-core/methylseq run, found by the sample sheet that started it."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from ._errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: Where the pipeline publishes calls, the best first: Bismark's coverage, then MethylDackel's bedGraph.
PLACES = (
    "**/methylation_coverage/*.cov.gz",
    "**/coverage2cytosine/**/*.cov.gz",
    "**/methyldackel/*.bedGraph*",
)
#: Files of cytosines outside CpG, which lie beside those of CpG where a run was asked for them.
OTHER_CONTEXT = re.compile(r"[._](CHG|CHH|GpC)\b")


def find_calls(sheet: Path, names: Sequence[str], context: str) -> dict[str, tuple[Path, ...]]:
    """Files of each sample below the sheet's folder, where `--outdir` must lie."""
    if context != "CG":
        raise FormatError(
            f"lists FASTQ files, for which the run's files of CpGs are found, not of {context}; "
            f"add a column 'file' with the files of {context}",
            sheet,
        )
    for place in PLACES:
        published = [path for path in sorted(sheet.parent.glob(place)) if not OTHER_CONTEXT.search(path.name)]
        if published:
            break
    else:
        raise FormatError(
            "lists FASTQ files, and no calls of nf-core/methylseq lie below its folder "
            f"({', '.join(PLACES)}); put the sheet beside the run's output, or add a column 'file'",
            sheet,
        )
    files = defaultdict(list)
    for path in published:
        # "S1" must not take the files of "S1_b": the longest name that fits is the sample's.
        fitting = [name for name in names if path.name.startswith((f"{name}.", f"{name}_"))]
        if fitting:
            files[max(fitting, key=len)].append(path)
    missing = [name for name in names if name not in files]
    if missing:
        raise FormatError(f"no calls of sample {missing[0]!r} lie in {published[0].parent}", sheet)
    several = next((paths for paths in files.values() if len(paths) > 1), None)
    if several:
        # The pipeline itself merges the lanes of a sample: more files are of another run, or of another sample.
        raise FormatError(
            f"both {several[0]} and {several[1].relative_to(sheet.parent)} could be of one sample; "
            "move one away, or add a column 'file' to the sheet",
            sheet,
        )
    return {name: tuple(paths) for name, paths in files.items()}

"""One sample: its files read, added up, and summed over the regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _keys as keys
from ._chroms import restyle
from ._errors import FormatError
from ._file import read_file
from ._loci import add_loci

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ._file import FileCalls
    from ._loci import Loci
    from ._options import CallOptions
    from ._overlap import RegionIndex
    from ._samples import Sample


@dataclass(slots=True)
class SampleCalls:
    """What is kept of a sample; with regions, the counts of single loci are not."""

    name: str
    files: list[FileCalls]
    starts: dict[str, NDArray[np.int32]]
    counts: Loci | tuple[NDArray[np.int32], NDArray[np.int32]]
    obs: dict[str, float]
    share_unknown: float
    """Share of loci on chromosomes that the regions do not name."""


def read_sample(sample: Sample, *, format_name: str, options: CallOptions, index: RegionIndex | None) -> SampleCalls:
    """Read all files of a sample."""
    files = [read_file(path, format_name, options) for path in sample.files]
    loci = files[0].loci if len(files) == 1 else add_loci(file.loci for file in files)
    for file in files:
        file.loci = {}
    loci = {chrom: counts.covered(options.min_coverage) for chrom, counts in loci.items()}
    obs = _describe(loci, files)
    starts = {chrom: counts.start for chrom, counts in loci.items()}
    if index is None:
        return SampleCalls(sample.name, files, starts, loci, obs, 0.0)
    if not index.chroms.keys() & loci.keys():
        raise FormatError(
            f"shares no chromosome with the regions (calls: {_some(loci)}; regions: {_some(index.chroms)}); "
            + _remedy(loci, index.chroms),
            files[0].path,
        )
    for file in files:
        if (region := index.off_the_end(file.lengths)) is not None:
            raise FormatError(
                f"has no place for region {region}: its chromosome ends before; "
                "are the regions of the assembly that the reads were aligned to?",
                file.path,
            )
    n_loci = max(obs[keys.N_LOCI], 1)
    obs[keys.SHARE_IN_REGIONS] = index.n_inside(loci) / n_loci
    n_unknown = sum(len(counts) for chrom, counts in loci.items() if chrom not in index.chroms)
    return SampleCalls(sample.name, files, starts, index.sums(loci), obs, n_unknown / n_loci)


def _describe(loci: Loci, files: list[FileCalls]) -> dict[str, float]:
    """The sample's own columns of `obs`."""
    n_loci = sum(map(len, loci.values()))
    reads = sum(
        int(counts.methylated.sum(dtype=np.int64) + counts.unmethylated.sum(dtype=np.int64)) for counts in loci.values()
    )
    methylated, unmethylated = sum(file.other_context for file in files)
    outside = methylated + unmethylated
    return {
        keys.N_LOCI: n_loci,
        keys.MEAN_COVERAGE: reads / n_loci if n_loci else np.nan,
        # Cytosines outside CpG are hardly ever methylated, so what stays C there escaped conversion.
        keys.CONVERSION_RATE: unmethylated / outside if outside else np.nan,
    }


def _remedy(calls: Iterable[str], regions: Iterable[str]) -> str:
    """What to do about names of chromosomes that do not match."""
    calls, regions = ({restyle(chrom, "ensembl") for chrom in names} for names in (calls, regions))
    if calls & regions:
        return "chrom_style='ucsc' (chr1) or 'ensembl' (1) brings both to one style"
    return "give the regions of the chromosomes that were read, by the same names"


def _some(chroms: dict) -> str:
    """A few names, for a message."""
    return ", ".join(list(chroms)[:3]) + (", …" if len(chroms) > 3 else "")

"""From files of methylation calls to an AnnData of counts."""

from __future__ import annotations

import warnings
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .. import _keys as keys
from .._check import job_count
from .._progress import progress_bar
from ._assemble import over_loci, over_regions
from ._chroms import restyle
from ._loci import merge_starts
from ._options import CallOptions
from ._overlap import RegionIndex
from ._region_table import SOURCE, as_regions
from ._sample import read_sample
from ._samples import resolve_samples
from ._sniff import ALIGNMENT, FORMAT_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from anndata import AnnData

    from ._sample import SampleCalls
    from ._samples import Sample, Source


def read_calls(
    files: Source | Iterable[Source] | Mapping[str, Source | Iterable[Source]],
    *,
    regions: pd.DataFrame | str | PathLike[str] | None = None,
    format: str = "auto",  # noqa: A002 (the word of the field)
    sample_names: Sequence[str] | None = None,
    context: str = "CG",
    combine_strands: bool = True,
    min_coverage: int = 1,
    min_mapq: int = 0,
    modifications: str = "m",
    chrom_style: str | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> AnnData:
    r"""Read methylation calls of many samples, and add them up over regions.

    Parameters
    ----------
    files
        A list of files, a glob, a dict from sample to file or files, or a sample sheet: CSV or TSV with the
        columns `sample` and `file`, whose further columns go to `obs`. The sheet of nf-core/methylseq will
        do where it lies beside or above the run's output. Several files of one sample add up.
    regions
        GTF or GFF3 (its genes), BED, or a data frame with `chrom`, `start` (0-based), `end` and, where
        there are any, `strand`, `gene_id`, `gene_name`; see :func:`read_genes` for promoters. A locus
        counts in every region that its first base lies in. None: samples × loci, sparse.
    format
        `"auto"` recognises the format of each file by its content; else a name in `io.FORMAT_NAMES`.
    sample_names
        A name for each file of a list or glob; by default the file's name without pipelines' suffixes.
    context
        CG, CHG, CHH or another pattern of bases; formats without a context column are taken whole.
    combine_strands
        Make one locus of the two cytosines of a CpG. Formats that give no strand (Bismark coverage,
        bedGraph) stay as they are: which neighbours belong together is not in the file.
    min_coverage
        Least number of reads of a locus, after strands and files are added up.
    min_mapq
        Least mapping quality of a read (BAM).
    modifications
        What counts as methylated in modkit files: `"m"` (5mC) or `"m+h"` (5mC and 5hmC).
    chrom_style
        `"ucsc"` (chr1) or `"ensembl"` (1), for files and regions alike; None leaves names as they are.
    n_jobs
        Samples to read at once, one core and some 0.5 GB each for whole genomes; None: one per core.
    progress
        Show a bar over files; None shows it in a terminal only.

    Returns
    -------
    AnnData without `X`, to be filled by :func:`methyl_dncb.pp.beta`:

    - `layers["methylated"]`, `layers["unmethylated"]`: reads, int32;
    - `var`: `chrom`, `start`, `end`, `strand`, `gene_id`, `gene_name` where known, and `n_loci`, the loci
      that any sample covers;
    - `obs`: `n_loci`, `mean_coverage`, `share_in_regions`, and `conversion_rate`, the unmethylated share
      of cytosines outside CpG where the file holds them;
    - `uns["calls"]`: files, formats, regions, versions, parameters.

    Raises
    ------
    FormatError
        A file cannot be trusted; the message names file and line.

    Examples
    --------
    >>> import methyl_dncb as md, pandas as pd, pathlib, tempfile
    >>> calls = pathlib.Path(tempfile.mkdtemp()) / "liver.bismark.cov"
    >>> _ = calls.write_text("chr1\t101\t101\t75\t3\t1\nchr1\t205\t205\t0\t0\t2\n")
    >>> regions = pd.DataFrame({"chrom": ["chr1"], "start": [0], "end": [1000]})
    >>> adata = md.io.read_calls([calls], regions=regions)
    >>> adata.layers["methylated"], adata.layers["unmethylated"]
    (array([[3]], dtype=int32), array([[3]], dtype=int32))
    """
    options = CallOptions(
        context=context,
        combine_strands=combine_strands,
        min_coverage=min_coverage,
        min_mapq=min_mapq,
        modifications=modifications,
        chrom_style=chrom_style,
    )
    if format not in {"auto", *FORMAT_NAMES}:
        raise ValueError(f"format={format!r} is not known; known are auto, {', '.join(FORMAT_NAMES)}")
    samples, sheet = resolve_samples(files, sample_names=sample_names, context=options.context)
    n_threads = min(job_count(n_jobs), len(samples))
    index, source = None, ""
    if regions is not None:
        source = regions.attrs.get(SOURCE, "data frame") if isinstance(regions, pd.DataFrame) else str(regions)
        regions = as_regions(regions)
        regions["chrom"] = [restyle(chrom, chrom_style) for chrom in regions["chrom"]]
        index = RegionIndex(regions)
    done, starts = [], {}
    read = partial(read_sample, format_name=format, options=options, index=index)
    n_files = sum(len(sample.files) for sample in samples)
    with progress_bar(n_files, "Reading calls", unit="file", progress=progress) as bar:
        for calls in _map_in_order(read, samples, n_threads):
            merge_starts(starts, calls.starts)
            calls.starts = {}
            done.append(calls)
            bar.update(len(calls.files))
    _warn(done, options, starts)
    obs = sheet.join(pd.DataFrame([calls.obs for calls in done], index=sheet.index), rsuffix="_calls")
    if index is None:
        span = max(file.span for calls in done for file in calls.files)
        adata = over_loci(obs, [calls.counts for calls in done], starts=starts, span=span)
    else:
        counts = np.stack([np.stack(layer) for layer in zip(*(calls.counts for calls in done), strict=True)])
        adata = over_regions(obs, regions, counts=counts, n_loci=index.n_loci(starts))
    adata.uns[keys.CALLS] = {"regions": source, **_provenance(done, options)}
    return adata


def _map_in_order(
    function: Callable[[Sample], SampleCalls], samples: list[Sample], n_threads: int
) -> Iterator[SampleCalls]:
    """`map` over threads, which decompression and parsing leave free; at most one result waits per thread."""
    if n_threads == 1:
        yield from map(function, samples)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        running = deque()
        try:
            for sample in samples:
                if len(running) > n_threads:
                    yield running.popleft().result()
                running.append(pool.submit(function, sample))
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()


def _warn(done: list[SampleCalls], options: CallOptions, chroms: Iterable[str]) -> None:
    """Say what the caller may not have meant."""
    names: dict[str, list[str]] = {}
    for chrom in chroms:
        names.setdefault(restyle(chrom, "ensembl"), []).append(chrom)
    several = next((group for group in names.values() if len(group) > 1), None)
    if several:
        warnings.warn(
            f"the files call one chromosome both {several[0]!r} and {several[1]!r}, which count as two; "
            "chrom_style='ucsc' (chr1) or 'ensembl' (1) brings them together",
            stacklevel=3,
        )
    empty = [calls.name for calls in done if not calls.obs[keys.N_LOCI]]
    if empty:
        warnings.warn(
            f"{empty[0]}: no locus has min_coverage={options.min_coverage} reads, so it has no counts "
            f"({len(empty)} of {len(done)} samples); lower it",
            stacklevel=3,
        )
    lost = [calls for calls in done if calls.share_unknown > 0.5]
    if lost:
        warnings.warn(
            f"{lost[0].name}: {lost[0].share_unknown:.0%} of the loci lie on chromosomes that the regions do "
            f"not name ({len(lost)} of {len(done)} samples have more than half); see chrom_style=",
            stacklevel=3,
        )
    files = [file for calls in done for file in calls.files]
    mixed = [file for file in files if file.modifications not in ("", options.modifications)]
    if mixed:
        warnings.warn(
            f"{mixed[0].path}: calls of 5mC and 5hmC are combined (code C), so both count as methylated; "
            "modifications='m+h' says so without this warning",
            stacklevel=3,
        )


def _provenance(done: list[SampleCalls], options: CallOptions) -> dict:
    """What was read and how, in types that h5ad and zarr can hold."""
    files = [(calls.name, file) for calls in done for file in calls.files]
    columns = {
        "sample": [name for name, _ in files],
        "file": [str(file.path) for _, file in files],
        "format": [file.format for _, file in files],
        "modifications": [file.modifications for _, file in files],
    }
    packages = ["methyl-dncb", *(["pysam"] if ALIGNMENT in columns["format"] else [])]
    return {
        **{name: np.array(values, dtype=object) for name, values in columns.items()},
        "parameters": {name: "" if value is None else value for name, value in asdict(options).items()},
        "versions": {name: version(name) for name in packages},
    }

"""`methyl-dncb beta`: from files of calls to an AnnData of β, in one command."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads annotations)
from typing import Annotated

import typer

from ..io import FORMAT_NAMES
from ._atomic import atomic_path, check_output
from ._options import Json, Quiet, report

FORMATS_HELP = f"Format of all files: auto (recognise each by its content), {', '.join(FORMAT_NAMES)}."


def beta(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files of calls, globs, or one sample sheet (CSV or TSV with the columns sample and file; "
            "further columns go to obs). Plain, gzip or bgzip; BAM needs the extra [bam]."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write (.h5ad).", show_default=False)],
    regions: Annotated[
        str | None,
        typer.Option(help="GTF, GFF3 or BED whose regions become the columns; without it, every locus is one."),
    ] = None,
    feature: Annotated[str, typer.Option(help="Feature to take from a GTF or GFF3.")] = "gene",
    upstream: Annotated[int, typer.Option(help="Bases to add before a gene, in its own direction.")] = 0,
    downstream: Annotated[int, typer.Option(help="Bases to add after a gene, in its own direction.")] = 0,
    anchor: Annotated[
        str, typer.Option(help="What those are added to: body (whole gene) or tss (promoters).")
    ] = "body",
    sample_name: Annotated[
        list[str] | None,
        typer.Option(help="Name of a sample, once for each file, in their order.", show_default="file names"),
    ] = None,
    format_name: Annotated[str, typer.Option("--format", help=FORMATS_HELP)] = "auto",
    context: Annotated[
        str, typer.Option(help="Context of the cytosines: CG, CHG, CHH; files that do not tell it are taken whole.")
    ] = "CG",
    combine_strands: Annotated[
        bool, typer.Option(help="Make one locus of the two cytosines of a CpG, where strands are given.")
    ] = True,
    modifications: Annotated[
        str, typer.Option(help="What counts as methylated in modkit files: m (5mC) or m+h (5mC and 5hmC).")
    ] = "m",
    min_mapq: Annotated[int, typer.Option(help="Least mapping quality of a read (BAM).")] = 0,
    min_locus_coverage: Annotated[int, typer.Option(help="Least number of reads of a locus.")] = 1,
    min_coverage: Annotated[
        int, typer.Option(help="Least number of reads of a sample in a region; fewer give a missing value.")
    ] = 1,
    smoothing: Annotated[float, typer.Option(help="s0 in β = (s0 + d) / (2 s0 + d + u).")] = 0.1,
    chrom_style: Annotated[
        str | None, typer.Option(help="Bring names of chromosomes to one style: ucsc (chr1) or ensembl (1).")
    ] = None,
    n_top: Annotated[
        int | None, typer.Option(help="Mark this many highly variable regions.", show_default="none")
    ] = None,
    n_jobs: Annotated[
        int, typer.Option("--n-jobs", "-j", help="Samples to read at once, one core each; -1: all cores.")
    ] = 1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Read methylation calls, add them up over regions and write β.

    The output is an AnnData, samples × regions: β in X (NaN where there are too few reads), reads in the
    layers "methylated" and "unmethylated", and what was read and how in uns["calls"]. It appears under its
    name only when complete.

    Exit codes: 0 done; 1 a file or an option cannot be used (one line on stderr names it); 2 wrong usage.

    Example: methyl-dncb beta calls/*.bismark.cov.gz --regions genes.gtf -o beta.h5ad -j 4
    """
    from .. import io, pp

    check_output(output, suffix=".h5ad", inputs=[*files, *([] if regions is None else [regions])])
    of_genes = (feature, upstream, downstream, anchor) != ("gene", 0, 0, "body")
    if of_genes and regions is None:
        raise ValueError("--feature, --upstream, --downstream and --anchor need --regions, a GTF or GFF3")
    if of_genes:
        table = io.read_genes(regions, feature=feature, upstream=upstream, downstream=downstream, anchor=anchor)
    else:
        table = regions
    adata = io.read_calls(
        files[0] if len(files) == 1 else files,
        regions=table,
        sample_names=sample_name or None,
        format=format_name,
        context=context,
        combine_strands=combine_strands,
        modifications=modifications,
        min_mapq=min_mapq,
        min_coverage=min_locus_coverage,
        chrom_style=chrom_style,
        n_jobs=n_jobs,
        progress=False if quiet else None,
    )
    pp.beta(adata, smoothing=smoothing, min_coverage=min_coverage)
    if n_top is not None:
        pp.highly_variable(adata, n_top)
    with atomic_path(output) as temporary:
        adata.write_h5ad(temporary)
    kind = "loci" if regions is None else "regions"
    summary = {"output": str(output), "n_samples": adata.n_obs, f"n_{kind}": adata.n_vars}
    report(summary, f"{output}: {adata.n_obs} samples × {adata.n_vars} {kind}", quiet=quiet, as_json=as_json)

"""Time and memory of reading calls: a Bismark coverage file of a whole genome over many genes.

    pip install polars pyarrow                       # to make the files, and to compare the parser with
    python benchmarks/bench_io.py                    # 25 million CpGs, 60,000 genes; makes two files of 0.2 GB
    python benchmarks/bench_io.py --cpgs 1_000_000   # a quick look

Bars: one core, at most 2.5 times `zcat FILE | wc -l` and less than 2 GB; two files with n_jobs=2, at most
1.2 times one file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Lengths of the human chromosomes in Mb.
LENGTHS = [248, 242, 198, 190, 182, 171, 159, 145, 138, 134, 135, 133, 114, 107, 102, 90, 83, 80, 59, 64, 47, 51]
CHROMS = {f"chr{i}": length for i, length in enumerate(LENGTHS, start=1)} | {"chrX": 156}
COVERED = 0.9  # share of the genome's CpGs that a sample covers: 25 of 28 million
READERS = ("methyl_dncb", "polars", "pyarrow", "pandas")


def make_calls(path: Path, n_cpgs: int, seed: int) -> None:
    """Coverage as a WGBS run gives it: 13 reads on average, mostly methylated, percent with all digits."""
    import polars as pl

    genome, rng = np.random.default_rng(0), np.random.default_rng(seed + 1)
    with path.open("wb") as file:
        gzip = subprocess.Popen(["gzip", "-6", "-c"], stdin=subprocess.PIPE, stdout=file)
        for chrom, length in CHROMS.items():
            n = n_cpgs * length // sum(CHROMS.values())
            n_all = int(n / COVERED)
            cpgs = np.cumsum(genome.geometric(n_all / (length * 1e6), n_all) + 1)
            at = cpgs[np.sort(rng.choice(n_all, n, replace=False, shuffle=False))]
            coverage = rng.poisson(12, n) + 1
            level = np.where(rng.random(n) < 0.75, rng.beta(8, 1, n), rng.beta(1, 10, n))
            methylated = rng.binomial(coverage, level)
            columns = [np.full(n, chrom), at, at, 100 * methylated / coverage, methylated, coverage - methylated]
            frame = pl.DataFrame({str(i): column for i, column in enumerate(columns)})
            frame.write_csv(gzip.stdin, separator="\t", include_header=False)
        gzip.stdin.close()
        if gzip.wait():
            raise OSError("gzip failed")


def make_genes(n_genes: int) -> pd.DataFrame:
    """Genes of lengths from hundreds to hundreds of thousands of bases, many overlapping."""
    rng = np.random.default_rng(0)
    chrom = rng.choice(list(CHROMS), n_genes, p=np.array(list(CHROMS.values())) / sum(CHROMS.values()))
    start = (rng.random(n_genes) * np.array([CHROMS[name] for name in chrom]) * 1e6).astype(int)
    length = np.exp(rng.normal(9, 1.5, n_genes)).astype(int) + 1
    return pd.DataFrame({"chrom": chrom, "start": start, "end": start + length})


def read(files: list[str], n_genes: int, n_jobs: int) -> dict[str, float]:
    """Runs in a process of its own, so that its peak of memory is its own."""
    import methyl_dncb as md

    genes = make_genes(n_genes)
    began, cpu = time.perf_counter(), time.process_time()
    md.io.read_calls({str(i): file for i, file in enumerate(files)}, regions=genes, n_jobs=n_jobs)
    return {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }


def parse(file: str, reader: str) -> dict[str, float]:
    """Parse decompressed chunks with a reader, to see which one earns its place."""
    import io

    import polars as pl
    from pyarrow import csv

    from methyl_dncb.io._bytes import read_chunks
    from methyl_dncb.io._table import Parser
    from methyl_dncb.io.formats.bismark import COVERAGE

    names = ["chrom", "start", "end", "percent", "methylated", "unmethylated"]
    schema = dict(zip(names, [pl.String, pl.Int32, pl.Int32, pl.Float32, pl.Int32, pl.Int32], strict=True))
    own = Parser(COVERAGE, Path(file))
    parsers = {
        "methyl_dncb": lambda text: own.parse(text, 1),
        "polars": lambda text: pl.read_csv(text, has_header=False, separator="\t", schema=schema),
        "pandas": lambda text: pd.read_csv(io.BytesIO(text), sep="\t", names=names, engine="c"),
        "pyarrow": lambda text: csv.read_csv(
            io.BytesIO(text),
            read_options=csv.ReadOptions(column_names=names, use_threads=False),
            parse_options=csv.ParseOptions(delimiter="\t"),
        ),
    }
    seconds = 0.0
    for chunk in read_chunks(Path(file)):
        began = time.process_time()
        parsers[reader](chunk)
        seconds += time.process_time() - began
    return {"seconds": seconds}


def in_process(*arguments: object, cores: set[int]) -> dict[str, float]:
    """Run one measurement of this script on the given cores."""
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, check=True, preexec_fn=lambda: os.sched_setaffinity(0, cores)
    )
    return json.loads(done.stdout)


def count_lines(file: Path, core: int) -> dict[str, float]:
    """What it takes to decompress a file and find its lines."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        ["sh", "-c", f"zcat '{file}' | wc -l"],
        stdout=subprocess.DEVNULL,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": time.perf_counter() - began, "cpu": cpu}


def _fastest(runs: Iterable[dict[str, float]]) -> dict[str, float]:
    return min(runs, key=lambda run: run["seconds"])


def _report(what: str, run: dict[str, float], other: dict[str, float], name: str) -> None:
    line = f"{what:26}{run['seconds']:7.2f} s, {run['cpu']:6.2f} s of processor"
    ratios = f"  {run['seconds'] / other['seconds']:.2f} ×, {run['cpu'] / other['cpu']:.2f} × {name}"
    print(line + (ratios if name else ""))


def measure(folder: Path, *, n_cpgs: int, n_genes: int, repeats: int) -> None:
    files = [folder / f"calls_{n_cpgs}_{seed}.bismark.cov.gz" for seed in range(2)]
    for seed, file in enumerate(files):
        if not file.exists():
            print(f"making {file}", file=sys.stderr)
            make_calls(file, n_cpgs, seed)
    cores = sorted(os.sched_getaffinity(0))
    job = ("--genes", n_genes, "--read")
    zcat = _fastest(count_lines(files[0], cores[0]) for _ in range(repeats))
    one = _fastest(in_process(*job, files[0], cores={cores[0]}) for _ in range(repeats))
    # Processor time is what to look at where other work shares the cores.
    _report("zcat | wc -l, one core", zcat, zcat, "")
    _report("read_calls, one core", one, zcat, "zcat (bar: 2.5)")
    print(f"{'  peak memory':26}{one['gb']:7.2f} GB (bar: 2)")
    if len(cores) > 1:
        two = _fastest(in_process("--jobs", 2, *job, *files, cores=set(cores[:2])) for _ in range(repeats))
        _report("two files, n_jobs=2", two, one, "one file (bar: 1.2 in seconds)")
    for reader in READERS:
        seconds = in_process("--parse", files[0], "--reader", reader, cores={cores[0]})["seconds"]
        print(f"{f'parsing alone, {reader}':26}{seconds:7.2f} s of processor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpgs", type=int, default=25_000_000)
    parser.add_argument("--genes", type=int, default=60_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "methyl_dncb_bench")
    parser.add_argument("--read", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--parse", help=argparse.SUPPRESS)
    parser.add_argument("--reader", choices=READERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        print(json.dumps(read(options.read, options.genes, options.jobs)))
    elif options.parse:
        print(json.dumps(parse(options.parse, options.reader)))
    else:
        options.folder.mkdir(parents=True, exist_ok=True)
        measure(options.folder, n_cpgs=options.cpgs, n_genes=options.genes, repeats=options.repeats)


if __name__ == "__main__":
    main()

"""Every text format written by hand from one list of calls, so that readers can be compared.

A call is (chrom, 0-based position of the cytosine, strand, context, methylated, unmethylated).
"""

from __future__ import annotations

import numpy as np

Call = tuple[str, int, str, str, int, int]


def make_calls(seed: int = 0, *, n: int = 60, chroms: tuple[str, ...] = ("chr1", "chr2")) -> list[Call]:
    """CpGs with both strands covered, at random gaps of at least four bases."""
    rng = np.random.default_rng(seed)
    calls = []
    for chrom in chroms:
        for position in np.cumsum(rng.integers(4, 90, n)):
            for offset, strand in ((0, "+"), (1, "-")):
                methylated, unmethylated = rng.integers(0, 9, 2)
                if methylated + unmethylated:
                    at = int(position) + offset
                    calls.append((chrom, at, strand, "CG", int(methylated), int(unmethylated)))
    return calls


def _percent(m: int, u: int) -> float:
    return 100 * m / (m + u)


def bismark_cov(call: Call) -> str:
    chrom, at, _, _, m, u = call
    return f"{chrom}\t{at + 1}\t{at + 1}\t{_percent(m, u):.13g}\t{m}\t{u}"


def bismark_report(call: Call) -> str:
    chrom, at, strand, context, m, u = call
    return f"{chrom}\t{at + 1}\t{strand}\t{m}\t{u}\t{context}\t{context}A"[: None if context == "CG" else -1]


def bedgraph(call: Call) -> str:
    chrom, at, _, _, m, u = call
    return f"{chrom}\t{at}\t{at + 1}\t{int(_percent(m, u))}\t{m}\t{u}"


def bedgraph4(call: Call) -> str:
    chrom, at, _, _, m, u = call
    return f"{chrom}\t{at + 1}\t{m}\t{u}"


def bedmethyl(call: Call) -> str:
    chrom, at, strand, _, m, u = call
    bed9 = f'{chrom}\t{at}\t{at + 1}\t"a name"\t{min(m + u, 1000)}\t{strand}\t{at}\t{at + 1}\t0,255,0'
    return f"{bed9}\t{m + u}\t{round(_percent(m, u))}"


def bedmethyl_gembs(call: Call) -> str:
    return bedmethyl(call) + "\tCG\tCG\t30"


def modkit(call: Call, code: str = "m", other: int = 0) -> str:
    chrom, at, strand, _, m, u = call
    bed9 = f"{chrom}\t{at}\t{at + 1}\t{code}\t{m + u}\t{strand}\t{at}\t{at + 1}\t255,0,0"
    return f"{bed9}\t{m + u}\t{_percent(m, u):.2f}\t{m}\t{u - other}\t{other}\t0\t1\t2\t0"


def modkit_spaces(call: Call) -> str:
    fields = modkit(call).split("\t")
    return "\t".join(fields[:9]) + "\t" + " ".join(fields[9:])


def allc(call: Call) -> str:
    chrom, at, strand, context, m, u = call
    trinucleotide = {"CG": "CGT", "CHG": "CAG", "CHH": "CTT"}[context]
    return f"{chrom}\t{at + 1}\t{strand}\t{trinucleotide}\t{m}\t{m + u}\t1"


def cgmap(call: Call) -> str:
    chrom, at, strand, context, m, u = call
    base = "C" if strand == "+" else "G"
    return f"{chrom}\t{base}\t{at + 1}\t{context}\t{context[:2]}\t{m / (m + u):.2f}\t{m}\t{m + u}"


def methylkit(call: Call) -> str:
    chrom, at, strand, _, m, u = call
    percent = _percent(m, u)
    letter = "F" if strand == "+" else "R"
    return f"{chrom}.{at + 1}\t{chrom}\t{at + 1}\t{letter}\t{m + u}\t{percent:.2f}\t{100 - percent:.2f}"


def biscuit(call: Call) -> str:
    chrom, at, _, _, m, u = call
    return f"{chrom}\t{at}\t{at + 1}\t{m / (m + u):.3f}\t{m + u}"


HEADERS = {
    bedgraph: 'track type="bedGraph" description="x CpG methylation levels"\n',
    bedmethyl: 'track name="x" description="x" visibility=2\n',
    methylkit: "chrBase\tchr\tbase\tstrand\tcoverage\tfreqC\tfreqT\n",
}
#: Writers by the format's name; some formats have more than one face.
WRITERS = {
    "bismark_cov": bismark_cov,
    "bismark_report": bismark_report,
    "bedgraph": bedgraph,
    "bedgraph4": bedgraph4,
    "bedmethyl": bedmethyl,
    "bedmethyl_gembs": bedmethyl_gembs,
    "modkit": modkit,
    "modkit with spaces": modkit_spaces,
    "allc": allc,
    "cgmap": cgmap,
    "methylkit": methylkit,
    "biscuit": biscuit,
}
UNSTRANDED = {"bismark_cov", "bedgraph", "bedgraph4", "biscuit"}
STRANDED = set(WRITERS) - UNSTRANDED


def render(face: str, calls: list[Call]) -> str:
    """Text of a file."""
    write = WRITERS[face]
    return HEADERS.get(write, "") + "".join(write(call) + "\n" for call in calls)


def merge_strands(calls: list[Call]) -> list[Call]:
    """Both cytosines of a CpG as one, by plain Python."""
    merged: dict[tuple[str, int], list[int]] = {}
    for chrom, at, strand, _, m, u in calls:
        total = merged.setdefault((chrom, at - (strand == "-")), [0, 0])
        total[0] += m
        total[1] += u
    return [(chrom, at, ".", "CG", m, u) for (chrom, at), (m, u) in merged.items()]


def merged_row(call: Call) -> str:
    """A row of `coverage2cytosine --merge_CpG`: 1-based, both cytosines."""
    chrom, at, _, _, m, u = call
    return f"{chrom}\t{at + 1}\t{at + 2}\t{_percent(m, u):.6f}\t{m}\t{u}"


def merged_biscuit_row(call: Call) -> str:
    """A row of `biscuit mergecg`: 0-based, both cytosines, and where the reads come from."""
    chrom, at, _, _, m, u = call
    return f"{chrom}\t{at}\t{at + 2}\t{m / (m + u):.3f}\t{m + u}\tC:{m}:{u},G:0:0"

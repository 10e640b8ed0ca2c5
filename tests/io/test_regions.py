"""Regions: GTF, GFF3, BED, data frames; promoters; names; chromosomes that do not match."""

from __future__ import annotations

import pandas as pd
import pytest

from methyl_dncb import io
from methyl_dncb.io._assemble import region_names
from tests.io import call_writers as writers

GTF = """##description: hand-made
chr1\thand\tgene\t1001\t2000\t.\t+\t.\tgene_id "ENSG1.2"; gene_name "ABC1"; level 1;
chr1\thand\texon\t1001\t1100\t.\t+\t.\tgene_id "ENSG1.2"; gene_name "ABC1";
chr1\thand\tgene\t5001\t6000\t.\t-\t.\tgene_id "ENSG2"; gene_name "XYZ; 2";
chr2\thand\tgene\t101\t900\t.\t+\t.\tgene_id "ENSG3"; gene_name "ABC1";
chr2\thand\tgene\t3001\t3900\t.\t+\t.\tgene_id "ENSG4";
"""
GFF3 = """##gff-version 3
##sequence-region chr1 1 5900
chr1\thand\tgene\t5001\t5800\t.\t+\t.\tID=gene:ENSG2;Name=XYZ2%2C%20long;biotype=protein_coding
"""


@pytest.fixture
def gtf(tmp_path):
    path = tmp_path / "genes.gtf"
    path.write_text(GTF)
    return path


@pytest.fixture
def calls_path(tmp_path):
    path = tmp_path / "s.cov"
    path.write_text(writers.render("bismark_cov", writers.make_calls(2, n=100)))
    return path


def test_genes(gtf):
    genes = io.read_genes(gtf)
    assert genes[["start", "end"]].values.tolist() == [[1000, 2000], [5000, 6000], [100, 900], [3000, 3900]]
    assert genes["gene_name"].tolist() == ["ABC1", "XYZ; 2", "ABC1", ""]
    assert genes["gene_id"].tolist() == ["ENSG1.2", "ENSG2", "ENSG3", "ENSG4"]


def test_direction_of_the_gene(gtf):
    body = io.read_genes(gtf, upstream=300, downstream=10)
    assert body[["start", "end"]].values.tolist()[:3] == [[700, 2010], [4990, 6300], [0, 910]]
    promoters = io.read_genes(gtf, upstream=1500, downstream=500, anchor="tss")
    assert promoters[["start", "end"]].values.tolist()[:3] == [[0, 1500], [5500, 7500], [0, 600]]


def test_gff3_and_the_end_of_a_chromosome(tmp_path):
    path = tmp_path / "genes.gff3"
    path.write_text(GFF3)
    genes = io.read_genes(path, downstream=1000)
    assert genes[["chrom", "start", "end", "gene_id", "gene_name"]].values.tolist() == [
        ["chr1", 5000, 5900, "ENSG2", "XYZ2, long"]
    ]


def test_beyond_the_end_of_a_chromosome(tmp_path):
    path = tmp_path / "genes.gff3"
    path.write_text(GFF3 + "chr1\thand\tgene\t5901\t6000\t.\t+\t.\tID=gene:ENSG3\n")
    with pytest.raises(io.FormatError, match=r"line 4: begins after its chromosome's end, 5900"):
        io.read_genes(path)


def test_other_features(gtf):
    assert io.read_genes(gtf, feature="exon")["end"].tolist() == [1100]
    with pytest.raises(io.FormatError, match="no 'CDS' features"):
        io.read_genes(gtf, feature="CDS")


def test_unique_names(gtf, calls_path):
    adata = io.read_calls([calls_path], regions=gtf)
    assert adata.var_names.tolist() == ["ABC1_ENSG1.2", "XYZ; 2", "ABC1_ENSG3", "ENSG4"]
    twins = pd.DataFrame({"chrom": ["1", "1", "1"], "start": [0, 0, 5], "end": [9, 9, 9], "gene_name": ["A"] * 3})
    assert region_names(twins).is_unique
    assert region_names(twins.drop(columns="gene_name")).is_unique


def test_every_source_alike(tmp_path, gtf, calls_path):
    genes = io.read_genes(gtf)
    bed = tmp_path / "genes.bed"
    rows = zip(genes["chrom"], genes["start"], genes["end"], strict=True)
    bed.write_text('track name="x"\n' + "".join(f"{c}\t{s}\t{e}\n" for c, s, e in rows))
    from_gtf, from_bed, from_frame = (
        io.read_calls([calls_path], regions=regions) for regions in (gtf, str(bed), genes)
    )
    for other in (from_bed, from_frame):
        assert (other.layers["methylated"] == from_gtf.layers["methylated"]).all()
    assert from_gtf.layers["methylated"].sum() > 0
    assert from_bed.var_names[0] == "chr1:1000-2000"


@pytest.mark.filterwarnings("ignore:.*of the loci:UserWarning")
def test_frames_stay_as_they_are(calls_path):
    frame = pd.DataFrame({"chrom": ["chr1", "chr1"], "start": [0, 0], "end": [9, 99], "score": [1, 2]}, index=[7, 7])
    before = frame.copy()
    adata = io.read_calls([calls_path], regions=frame, chrom_style="ensembl")
    pd.testing.assert_frame_equal(frame, before)
    assert adata.var["score"].tolist() == [1, 2]
    assert adata.var_names.tolist() == ["1:0-9", "1:0-99"]


def test_overlapping_regions_count_in_each(calls_path):
    chroms = ["chr1", "chr1", "chr2"]
    regions = pd.DataFrame({"chrom": chroms, "start": 0, "end": [10_000, 10_000, 1]})
    adata = io.read_calls([calls_path], regions=regions)
    assert adata.layers["methylated"][0, 0] == adata.layers["methylated"][0, 1] > 0
    assert adata.obs["share_in_regions"].item() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chr1\t10\t5\n", "line 1.*ends before"),
        ("chr1\t1\t5\nchr1\t-10\t5\n", "line 2.*before the chromosome"),
        ("chr1\t7\t7\n", "line 1.*empty"),
        ("chr1\t7\n", "line 1.*columns"),
        ("chr1\tx\ty\n", "line 1.*not numbers"),
        ("#chrom\n", "no regions"),
        ("chr1\t1\t99999999999\n", "line 1.*beyond"),
        ("chr1\tx\tgene\t5\t2\t.\t+\t.\tgene_id 1\n", "line 1.*ends before"),
        ("chr1\tx\tgene\t0\t2\t.\t+\t.\tgene_id 1\n", "line 1.*before the chromosome"),
        ("chr1\tx\tgene\tfive\t2\t.\t+\t.\tgene_id 1\n", "line 1.*not both positions"),
        ("chr1\tx\texon\t1\t2\t.\t+\t.\tgene_id 1\n", "no 'gene' features"),
    ],
)
def test_bad_files(tmp_path, calls_path, text, message):
    path = tmp_path / "regions"
    path.write_text(text)
    with pytest.raises(io.FormatError, match=message):
        io.read_calls([calls_path], regions=path)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"chrom": ["1"], "start": [1]}), "lack the columns end"),
        (pd.DataFrame({"chrom": [], "start": [], "end": []}), "empty"),
        (pd.DataFrame({"chrom": ["1"], "start": ["a"], "end": [3]}), "whole numbers"),
        (pd.DataFrame({"chrom": ["1"], "start": [1.5], "end": [3]}), "whole numbers"),
        (pd.DataFrame({"chrom": ["1"], "start": [float("nan")], "end": [3]}), "whole numbers"),
        (pd.DataFrame({"chrom": ["1"], "start": [-1], "end": [3]}), "row 0.*before the chromosome"),
        (pd.DataFrame({"chrom": [None], "start": [1], "end": [3]}), "gaps"),
    ],
)
def test_bad_frames(calls_path, frame, message):
    with pytest.raises(ValueError, match=message):
        io.read_calls([calls_path], regions=frame)


@pytest.mark.parametrize("arguments", [{"upstream": -1}, {"anchor": "tss"}, {"anchor": "tts", "upstream": 1}])
def test_bad_arguments(gtf, arguments):
    with pytest.raises(ValueError, match=r"upstream|anchor"):
        io.read_genes(gtf, **arguments)


def test_chromosome_styles(tmp_path, calls_path):
    plain = pd.DataFrame({"chrom": ["1", "2"], "start": [0, 0], "end": [10_000, 10_000]})
    with pytest.raises(io.FormatError, match=r"chr1, chr2.*1, 2.*chrom_style="):
        io.read_calls([calls_path], regions=plain)
    for style, names in (("ucsc", ["chr1", "chr2"]), ("ensembl", ["1", "2"])):
        adata = io.read_calls([calls_path], regions=plain, chrom_style=style)
        assert adata.var["chrom"].tolist() == names
        assert adata.obs["share_in_regions"].item() == 1.0
    assert plain["chrom"].tolist() == ["1", "2"]
    with pytest.raises(io.FormatError, match="give the regions of the chromosomes that were read"):
        io.read_calls([calls_path], regions=plain.assign(chrom=["chr21", "chr22"]))
    with pytest.raises(ValueError, match="chrom_style"):
        io.read_calls([calls_path], regions=plain, chrom_style="refseq")


def test_one_chromosome_by_two_names_warns(tmp_path):
    files = [tmp_path / "a.cov", tmp_path / "b.cov"]
    for seed, (path, chrom) in enumerate(zip(files, ("chr1", "1"), strict=True)):
        path.write_text(writers.render("bismark_cov", writers.make_calls(seed, chroms=(chrom,))))
    with pytest.warns(UserWarning, match=r"both 'chr1' and '1', which count as two; chrom_style="):
        apart = io.read_calls(files)
    together = io.read_calls(files, chrom_style="ucsc")
    assert set(together.var["chrom"]) == {"chr1"}
    assert together.layers["methylated"].sum() == apart.layers["methylated"].sum()


def test_unknown_chromosomes_warn(tmp_path):
    path = tmp_path / "s.cov"
    path.write_text(writers.render("bismark_cov", writers.make_calls(2, chroms=("chr1", "chr2", "chr3"))))
    regions = pd.DataFrame({"chrom": ["chr1"], "start": [0], "end": [10_000]})
    with pytest.warns(UserWarning, match="67% of the loci lie on chromosomes"):
        io.read_calls([path], regions=regions)


def test_promoters_off_the_chromosome_are_left_out(tmp_path):
    path = tmp_path / "genes.gtf"
    lines = (f'chr1\tx\tgene\t{start}\t9000\t.\t+\t.\tgene_id "G{start}";\n' for start in (1, 5000))
    path.write_text("".join(lines))
    with pytest.warns(UserWarning, match=r"1 of 2 regions lie wholly off their chromosome .*line 1"):
        genes = io.read_genes(path, upstream=1500, anchor="tss")
    assert genes["gene_id"].tolist() == ["G5000"]


@pytest.mark.parametrize(
    ("ensembl", "ucsc"),
    [
        (["I", "IV", "X", "XIV", "XVI", "Mito"], ["chrI", "chrIV", "chrX", "chrXIV", "chrXVI", "chrM"]),
        (["1A", "1D", "7D", "2L", "9S", "22"], ["chr1A", "chr1D", "chr7D", "chr2L", "chr9S", "chr22"]),
        (["1", "5"], ["Chr1", "Chr5"]),
    ],
)
def test_names_of_other_genomes_are_brought_together(tmp_path, ensembl, ucsc):
    path = tmp_path / "calls.cov"
    path.write_text("".join(f"{chrom}\t100\t100\t50\t1\t1\n" for chrom in ensembl))
    regions = pd.DataFrame({"chrom": ucsc, "start": 0, "end": 1000})
    for style in ("ucsc", "ensembl"):
        adata = io.read_calls([path], regions=regions, chrom_style=style)
        assert (adata.layers["methylated"] == 1).all()


def test_coverage_that_leaves_nothing_is_told(tmp_path):
    path = tmp_path / "calls.cov"
    path.write_text("chr1\t100\t100\t50\t1\t1\n")
    with pytest.warns(UserWarning, match="no locus has min_coverage=3 reads"):
        assert io.read_calls([path], min_coverage=3).shape == (1, 0)

"""`methyl-dncb beta`: output, exit codes, one line of error, nothing half-written."""

from __future__ import annotations

import json
import os
import sys

import anndata
import numpy as np
import pytest

ROWS = "".join(f"chr1\t{i}\t{i}\t75\t3\t1\n" for i in range(100, 2000, 7))
GTF = """chr1\thand\tgene\t101\t900\t.\t+\t.\tgene_id "G1"; gene_name "ABC1";
chr1\thand\tgene\t1001\t1800\t.\t-\t.\tgene_id "G2"; gene_name "XYZ2";
chr1\thand\tgene\t5001\t5800\t.\t-\t.\tgene_id "G3"; gene_name "FAR3";
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / f"{name}.bismark.cov").write_text(ROWS)
    (tmp_path / "genes.gtf").write_text(GTF)
    return tmp_path


def test_writes_beta(folder, run_command):
    code, out, _ = run_command(
        *("beta", "a.bismark.cov", "b.bismark.cov", "--regions", "genes.gtf", "-o", "beta.h5ad"), "--n-top", 1
    )
    assert code == 0
    assert out == "beta.h5ad: 2 samples × 3 regions\n"
    adata = anndata.read_h5ad("beta.h5ad")
    assert adata.var_names.tolist() == ["ABC1", "XYZ2", "FAR3"]
    d, u = adata.layers["methylated"][:, :2], adata.layers["unmethylated"][:, :2]
    assert d.min() > 0
    np.testing.assert_allclose(adata.X[:, :2], (0.1 + d) / (0.2 + d + u), rtol=1e-6)
    assert np.isnan(adata.X[:, 2]).all()
    assert adata.var["highly_variable"].sum() == 1
    assert sorted(path.name for path in folder.iterdir()) == [
        *("a.bismark.cov", "b.bismark.cov", "beta.h5ad", "genes.gtf")
    ]


def test_glob_names_and_promoters(folder, run_command):
    names = ("--sample-name", "x", "--sample-name", "y")
    region = ("--regions", "genes.gtf", "--upstream", 100, "--downstream", 50, "--anchor", "tss")
    assert run_command("beta", "*.cov", "-o", "beta.h5ad", "-j", 2, *names, *region)[0] == 0
    adata = anndata.read_h5ad("beta.h5ad")
    assert adata.obs_names.tolist() == ["x", "y"]
    assert (adata.var["end"] - adata.var["start"]).tolist() == [150, 150, 150]


def test_sample_sheet_and_progress(folder, run_command, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    (folder / "sheet.csv").write_text("sample,file,kind\nboth,a.bismark.cov,k\nboth,b.bismark.cov,k\n")
    code, _, err = run_command("beta", "sheet.csv", "--regions", "genes.gtf", "-o", "beta.h5ad")
    assert code == 0
    assert "2/2" in err
    assert anndata.read_h5ad("beta.h5ad").obs["kind"].tolist() == ["k"]


def test_quiet_and_json(folder, run_command):
    arguments = ("beta", "a.bismark.cov", "--regions", "genes.gtf", "-o", "beta.h5ad", "--quiet")
    assert run_command(*arguments) == (0, "", "")
    code, out, _ = run_command(*arguments, "--json")
    assert code == 0
    assert json.loads(out) == {"output": "beta.h5ad", "n_samples": 1, "n_regions": 3}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bad.cov"], "bad.cov, line 1: fits no known format"),
        (["absent.cov"], "absent.cov: no such file"),
        (["."], "is a folder; give the files in it"),
        (["a.bismark.cov", "--regions", "none.gtf"], "none.gtf: no such file"),
        (["a.bismark.cov", "--min-coverage", "-1"], "min_coverage"),
        (["a.bismark.cov", "--format", "vcf"], "format='vcf'"),
        (["a.bismark.cov", "a.bismark.cov"], "two samples are called 'a'"),
    ],
)
def test_one_clear_line_on_error(folder, run_command, arguments, message):
    (folder / "bad.cov").write_text("no calls\n")
    code, out, err = run_command("beta", *arguments, "-o", "beta.h5ad")
    assert code == 1
    assert out == ""
    assert err.startswith("methyl-dncb: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert not list(folder.glob("*.h5ad"))


def test_output_is_checked_first(folder, run_command):
    code, _, err = run_command("beta", "absent.cov", "-o", "no/such/beta.h5ad")
    assert (code, "no such folder" in err) == (1, True)
    code, _, err = run_command("beta", "absent.cov", "-o", "beta.csv")
    assert (code, "ends in .h5ad" in err) == (1, True)
    code, _, err = run_command("beta", "absent.cov", "-o", folder)
    assert (code, "is a folder" in err) == (1, True)


def test_wrong_usage(run_command):
    assert run_command("beta")[0] == 2
    assert run_command("beta", "x.cov", "--no-such-option")[0] == 2


def test_help_has_every_option(run_command):
    code, out, _ = run_command("beta", "--help")
    assert code == 0
    for word in ("--regions", "--n-jobs", "--format", "-o", "Exit codes", "[bam]"):
        assert word in out


def test_no_half_written_output(folder, run_command, monkeypatch):
    (folder / "beta.h5ad").write_text("the old one")

    def fail(self, path):
        path.write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr(anndata.AnnData, "write_h5ad", fail)
    code, _, err = run_command("beta", "a.bismark.cov", "-o", "beta.h5ad")
    assert (code, err) == (1, "methyl-dncb: error: disk full\n")
    assert (folder / "beta.h5ad").read_text() == "the old one"
    assert sorted(path.name for path in folder.iterdir() if "h5ad" in path.name) == ["beta.h5ad"]


def test_warnings_are_one_line(folder, run_command):
    (folder / "c.cov").write_text(ROWS + ROWS.replace("chr1", "chr2") + ROWS.replace("chr1", "chr3"))
    code, _, err = run_command("beta", "c.cov", "--regions", "genes.gtf", "-o", "beta.h5ad")
    assert code == 0
    assert err.startswith("warning: c: 67% of the loci")
    assert err.count("\n") == 1


@pytest.mark.parametrize("output", ["a.bismark.cov", "genes.gtf", "pipe"])
def test_inputs_and_devices_are_not_replaced(folder, run_command, output):
    os.mkfifo(folder / "pipe")
    before = (folder / "genes.gtf").read_text(), (folder / "a.bismark.cov").read_text()
    code, _, err = run_command("beta", "*.cov", "--regions", "genes.gtf", "-o", output)
    assert code == 1
    assert err.count("\n") == 1
    assert ("is an input" in err) or ("is no ordinary file" in err)
    assert before == ((folder / "genes.gtf").read_text(), (folder / "a.bismark.cov").read_text())
    assert (folder / "pipe").is_fifo()


def test_a_link_is_followed(folder, run_command):
    (folder / "link.h5ad").symlink_to("target.h5ad")
    assert run_command("beta", "a.bismark.cov", "-o", "link.h5ad")[0] == 0
    assert (folder / "link.h5ad").is_symlink()
    assert anndata.read_h5ad("target.h5ad").n_obs == 1


def test_gene_options_need_regions(folder, run_command):
    code, _, err = run_command("beta", "a.bismark.cov", "--upstream", 100, "-o", "beta.h5ad")
    assert code == 1
    assert "need --regions" in err

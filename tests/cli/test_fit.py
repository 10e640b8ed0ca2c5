import json

import anndata as ad
import numpy as np
import pytest

import methyl_dncb as md

SHORT = ("-k", 3, "--n-burnin", 10, "--n-draws", 4, "--thin", 2, "--n-jobs", 1, "--seed", 7)


def test_writes_what_the_function_would(run_command, beta_file, tmp_path):
    output = tmp_path / "fitted.h5ad"
    code, out, _ = run_command("fit", beta_file, "-o", output, *SHORT, "--shape", "0.5,0.9")
    assert code == 0
    assert out.startswith(f"{output}: 3 components of 24 samples")
    written, expected = ad.read_h5ad(output), ad.read_h5ad(beta_file)
    md.tl.dncb_mf(expected, 3, n_burnin=10, n_draws=4, thin=2, rng=7, n_jobs=1, shape=(0.5, 0.9))
    np.testing.assert_array_equal(written.obsm["X_dncb_mf"], expected.obsm["X_dncb_mf"])
    assert "dncb_mf_phi_draws" not in written.varm
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fitted.h5ad"]


def test_json_is_one_object_and_all_there_is(run_command, beta_file, tmp_path):
    arguments = ("--shape", "auto", "--keep-draws", "--n-chains", 2, "--json", "--quiet")
    code, out, err = run_command("fit", beta_file, "-o", tmp_path / "fitted.h5ad", *SHORT, *arguments)
    assert code == 0
    assert err == ""
    summary = json.loads(out)
    assert summary["n_components"] == 3
    assert summary["n_genes"] == 60
    assert summary["r_hat"] is None  # four draws are too few, and NaN is no JSON
    adata = ad.read_h5ad(tmp_path / "fitted.h5ad")
    np.testing.assert_allclose(summary["shape"], adata.uns["dncb_mf"]["shape"])
    assert adata.varm["dncb_mf_phi_draws"].shape == (60, 3, 8)


def test_quiet_prints_nothing(run_command, beta_file, tmp_path):
    assert run_command("fit", beta_file, "-o", tmp_path / "f.h5ad", *SHORT, "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--shape", "wide"), "--shape takes a number or auto, not 'wide'"),
        (("--n-burnin", "long"), "--n-burnin takes a number or auto"),
        (("-k", "0"), "n_components must be at least 1"),
        (("--layer", "none"), "there is no layer 'none'"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_leaves_no_file(run_command, beta_file, tmp_path, arguments, complaint):
    code, out, err = run_command("fit", beta_file, "-o", tmp_path / "f.h5ad", *SHORT, *arguments)
    assert code == 1
    assert out == ""
    assert complaint in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_none_is_wrong_usage(run_command, tmp_path):
    code, _, err = run_command("fit", tmp_path / "absent.h5ad", "-o", tmp_path / "f.h5ad")
    assert code == 2
    assert "does not exist" in err


@pytest.mark.parametrize(
    "command", [("fit", "-o", "f.h5ad"), ("plot", "--out", "f"), ("report", "-o", "f"), ("select",)]
)
def test_a_file_of_another_kind_is_refused_in_one_line(command, run_command, tmp_path):
    path = tmp_path / "text.h5ad"
    path.write_text("not HDF5")
    command, *output = command
    code, _, err = run_command(command, path, *output[:1], *(tmp_path / name for name in output[1:]))
    assert code == 1
    assert err.startswith(f"methyl-dncb: error: {path} cannot be read as .h5ad")
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["text.h5ad"]

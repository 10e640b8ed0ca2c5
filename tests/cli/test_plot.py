import json

import anndata as ad

FIGURES = ["beta_heatmap", "beta_histogram", "embedding_heatmap", "posterior_predictive", "top_genes", "trace"]


def test_all_figures_are_written(run_command, fitted_file, tmp_path):
    out = tmp_path / "deep" / "figures"
    code, text, _ = run_command("plot", fitted_file, "--out", out, "--dpi", 60)
    assert code == 0
    names = sorted(path.name for path in out.iterdir())
    assert names == sorted(f"{name}.png" for name in [*FIGURES, "component_groups_group"])
    assert sorted(text.split()) == [str(out / name) for name in names]
    assert all((out / name).read_bytes().startswith(b"\x89PNG") for name in names)


def test_groups_and_format_can_be_chosen(run_command, fitted_file, tmp_path):
    arguments = ("--groupby", "site: year", "--groupby", "group", "--format", "svg", "--json")
    code, text, _ = run_command("plot", fitted_file, "--out", tmp_path, *arguments)
    assert code == 0
    written = json.loads(text)["figures"]
    assert str(tmp_path / "component_groups_site_year.svg") in written
    assert str(tmp_path / "component_groups_group.svg") in written


def test_without_draws_what_needs_them_is_left_out(run_command, fitted_file, tmp_path):
    adata = ad.read_h5ad(fitted_file)
    del adata.varm["dncb_mf_phi_draws"], adata.obs
    adata.write_h5ad(tmp_path / "bare.h5ad")
    code, _, _ = run_command("plot", tmp_path / "bare.h5ad", "--out", tmp_path / "out", "--dpi", 60, "-q")
    assert code == 0
    names = {path.stem for path in (tmp_path / "out").iterdir()}
    assert names == set(FIGURES) - {"posterior_predictive"}


def test_errors_are_one_line(run_command, beta_file, fitted_file, tmp_path):
    code, _, err = run_command("plot", beta_file, "--out", tmp_path / "out")
    assert code == 1
    assert "there is no fit under the key 'dncb_mf'" in err
    code, _, err = run_command("plot", fitted_file, "--out", tmp_path / "out", "--groupby", "sex")
    assert code == 1
    assert "no column of obs; the columns are: group, age, site: year" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()

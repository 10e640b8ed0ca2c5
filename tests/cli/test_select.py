from __future__ import annotations

import anndata as ad
import pandas as pd
import pytest
from typer.testing import CliRunner

from methyl_dncb import datasets
from methyl_dncb.cli import app


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "beta.h5ad"
    datasets.simulate_groups(40, 60, strength=25.0, rng=0).write_h5ad(path)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["select", *(str(argument) for argument in arguments)])


def test_recommends_tells_why_and_keeps_the_runs(file):
    result = run(file, "-k", "1,6", "--model", "bg_nmf", "--n-masks", 2, "--n-inits", 1, "--seed", 0, "-j", 1)
    assert result.exit_code == 0, result.output
    assert "With 6 components, held-out values are predicted best" in result.output
    runs = pd.read_csv(file.with_suffix(".select.csv"))
    assert sorted(runs["n_components"]) == [1, 1, 6, 6]
    assert "select_components" not in ad.read_h5ad(file).uns


def test_settings_of_the_sampler_are_passed_on_and_a_study_is_resumed(file, tmp_path):
    table = tmp_path / "runs.csv"
    quick = ["--n-burnin", 5, "--n-draws", 4, "--thin", 1, "--n-masks", 1, "--n-inits", 1, "-j", 1, "-t", table]
    first = run(file, "-k", "2", "--shape", "0.5", *quick)
    assert first.exit_code == 0, first.output
    seconds = pd.read_csv(table)["seconds"]
    second = run(file, "-k", "2,3", "--shape", "0.5", *quick)
    assert second.exit_code == 0, second.output
    runs = pd.read_csv(table)
    assert list(runs["n_components"]) == [2, 3]
    assert list(runs["n_draws"]) == [4, 4]
    assert runs["seconds"][0] == seconds[0]
    assert runs["seed"].nunique() == 1


def test_wrong_numbers_are_refused(file):
    result = run(file, "-k", "4;8")
    assert isinstance(result.exception, ValueError)
    assert "--n-components takes numbers separated by commas" in str(result.exception)
    assert run("missing.h5ad").exit_code == 2

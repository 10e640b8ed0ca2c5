from __future__ import annotations

import anndata as ad
import numpy as np
import pandas as pd
import pytest

from methyl_dncb import datasets, tl
from methyl_dncb.tl import _study
from methyl_dncb.tl._one_standard_error import recommend, summarise_settings

QUICK = {"n_masks": 2, "n_inits": 2, "n_jobs": 1, "rng": 0}
SCORES = [
    "ppd",
    "log_ppd",
    "log_ppd_se",
    "mae",
    "rmse",
    "coverage_50",
    "coverage_90",
    "n_entries",
    "n_draws",
    "n_exact",
]


@pytest.fixture
def adata():
    return datasets.simulate_groups(40, 60, strength=25.0, rng=0)


@pytest.fixture
def fits(monkeypatch):
    """Counts the fits that are made."""
    made = []
    do = _study.Study.do
    monkeypatch.setattr(_study.Study, "do", lambda self, run: made.append(run) or do(self, run))
    return made


def test_runs_every_setting_mask_and_start(adata):
    quick = QUICK | {"n_masks": 1, "n_burnin": 20, "n_draws": 10, "thin": 1}
    table = tl.select_components(adata, (1, 6), (0.25, 0.75), **quick, progress=False)
    assert list(table.columns) == ["model", "n_components", "shape", "mask", "init", *SCORES, "seconds"]
    assert len(table) == 2 * 2 * 1 * 2
    assert not table.duplicated(["n_components", "shape", "mask", "init"]).any()
    assert set(table["n_draws"]) == {10}
    # Same number of held-out entries everywhere, another fit for each start.
    assert set(table["n_entries"]) == {240}
    assert table["log_ppd"].nunique() == len(table)
    assert adata.uns["select_components"]["recommendation"]["n_components"] == 6
    pd.testing.assert_frame_equal(adata.uns["select_components"]["table"], table)


def test_every_draw_that_was_asked_for_is_scored(adata):
    table = tl.select_components(adata, 2, model="bg_nmf", n_draws=130, **QUICK | {"n_inits": 1})
    assert set(table["n_draws"]) == {130}


def test_masks_are_the_same_for_all_settings_and_models(adata, monkeypatch):
    seen = []
    score = _study.heldout_score
    monkeypatch.setattr(
        _study, "heldout_score", lambda a, **k: seen.append(a.layers["held_out"].copy()) or score(a, **k)
    )
    tl.select_components(adata, (2, 4), model="nmf", **QUICK)
    tl.select_components(adata, 3, model="bg_nmf", **QUICK)
    first, second = seen[0], seen[2]
    assert (first != second).any()
    for number, mask in enumerate(seen):
        np.testing.assert_array_equal(mask, first if number // 2 % 2 == 0 else second)


def test_result_is_seeded_and_independent_of_processes(adata):
    one = tl.select_components(adata, (2, 4), model="bg_nmf", **QUICK)
    two = tl.select_components(adata, (2, 4), model="bg_nmf", **QUICK | {"n_jobs": 2})
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), two.drop(columns="seconds"))


def test_resumes_from_its_table(adata, tmp_path, fits):
    path = tmp_path / "runs.csv"
    whole = tl.select_components(adata, (2, 4), model="bg_nmf", **QUICK | {"rng": None}, path=path)
    assert len(fits) == 8
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 9
    # As if it had been killed in the middle of writing the sixth result.
    path.write_text("".join(lines[:6]) + lines[6][:20])
    fits.clear()
    resumed = tl.select_components(adata, (2, 4), model="bg_nmf", **QUICK | {"rng": None}, path=path)
    assert len(fits) == 3
    pd.testing.assert_frame_equal(whole.drop(columns="seconds"), resumed.drop(columns="seconds"))
    assert len(path.read_text().splitlines()) == 9
    fits.clear()
    wider = tl.select_components(adata, (2, 3, 4), model="bg_nmf", **QUICK | {"rng": None}, path=path)
    assert len(fits) == 4
    assert len(wider) == 12


@pytest.mark.parametrize("change", [lambda table: table.drop(columns="n_exact"), lambda table: table.iloc[:, ::-1]])
def test_resumes_under_the_header_that_stands_there(adata, tmp_path, change):
    path = tmp_path / "study.csv"
    arguments = {"n_components": 2, "model": "bg_nmf", "path": path, **QUICK}
    whole = tl.select_components(adata, **arguments)
    change(pd.read_csv(path).head(1)).to_csv(path, index=False)
    resumed = [tl.select_components(adata, **arguments) for _ in range(2)]
    for table in resumed:
        pd.testing.assert_series_equal(table["log_ppd"], whole["log_ppd"])


def test_refuses_a_path_that_cannot_be_written_before_any_fit(adata, tmp_path, fits):
    with pytest.raises(FileNotFoundError, match="make it first"):
        tl.select_components(adata, 2, model="nmf", path=tmp_path / "none" / "runs.csv")
    assert fits == []


def test_refuses_a_table_of_another_study(adata, tmp_path):
    path = tmp_path / "runs.csv"
    tl.select_components(adata, 2, model="nmf", **QUICK, path=path)
    before = path.read_text()
    with pytest.raises(ValueError, match="other seed"):
        tl.select_components(adata, 2, model="nmf", **QUICK | {"rng": 1}, path=path)
    with pytest.raises(ValueError, match="other arguments"):
        tl.select_components(adata, 2, model="nmf", **QUICK, tol=1e-3, path=path)
    adata.X[0, 0] = 0.5
    with pytest.raises(ValueError, match="other data"):
        tl.select_components(adata, 2, model="nmf", **QUICK, path=path)
    assert path.read_text() == before


def test_a_table_serves_several_models_and_defaults_may_be_spelled_out(adata, tmp_path, fits):
    path = tmp_path / "runs.csv"
    tl.select_components(adata, 2, model="nmf", **QUICK, path=path)
    tl.select_components(adata, 2, model="bg_nmf", **QUICK, n_iterations=3, path=path)
    n_fits = len(fits)
    tl.select_components(adata, 2, model="nmf", **QUICK, tol=1e-4, path=path)
    assert len(fits) == n_fits


@pytest.mark.parametrize("cut", [1, 30, 2000])
def test_a_study_stopped_in_the_middle_of_a_line_goes_on_without_its_seed(adata, tmp_path, cut):
    path = tmp_path / "runs.csv"
    whole = tl.select_components(adata, 2, model="nmf", **QUICK, path=path)
    text = path.read_text()
    path.write_text(text[: max(-cut, text.index("\n") + 1 - len(text))])
    seed = QUICK if cut == 2000 else QUICK | {"rng": None}  # without a row, there is no seed to go on with
    again = tl.select_components(adata, 2, model="nmf", **seed, path=path)
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), whole.drop(columns="seconds"))
    assert path.read_text().count("\n") == text.count("\n")


@pytest.mark.parametrize("rng", [None, 0])
@pytest.mark.parametrize(
    "content", [b"name,value\nA,1\nB,2", b"one line", b"a,b\n1,2\n", b"\x89PNG\n\x00\xff", b"\n", b'"a\n']
)
def test_other_files_are_refused_and_left_alone(adata, tmp_path, fits, content, rng):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="other is no table of select_components"):
        tl.select_components(adata, 2, model="nmf", path=path, rng=rng)
    assert path.read_bytes() == content
    assert fits == []


def test_a_damaged_row_is_refused(adata, tmp_path):
    path = tmp_path / "runs.csv"
    table = tl.select_components(adata, 2, model="nmf", **QUICK, path=path)
    text = path.read_text()
    for value in ("abc", ""):
        path.write_text(text.replace(repr(float(table["log_ppd"][0])), value))
        with pytest.raises(ValueError, match="no table of select_components"):
            tl.select_components(adata, 2, model="nmf", **QUICK, path=path)


def test_what_is_written_survives_a_file(adata, tmp_path):
    tl.select_components(adata, (2, 4), model="nmf", **QUICK, key_added="study")
    adata.write_h5ad(tmp_path / "study.h5ad")
    back = ad.read_h5ad(tmp_path / "study.h5ad").uns["study"]
    pd.testing.assert_frame_equal(back["table"], adata.uns["study"]["table"], check_index_type=False, check_dtype=False)
    assert back["recommendation"]["reason"] == adata.uns["study"]["recommendation"]["reason"]


def table_of(**log_ppd):
    """Three runs a setting: `k4=(0.1, 0.01)` is four components with mean 0.1 and spread 0.01."""
    rows = []
    for name, (mean, spread) in log_ppd.items():
        for init, step in enumerate((-1, 0, 1)):
            values = {"log_ppd": mean + step * spread, "log_ppd_se": 0.5, "mask": 0, "init": init}
            rows.append({"model": "nmf", "n_components": int(name[1:]), "shape": np.nan, **values})
    return pd.DataFrame(rows)


def test_one_standard_error_rule():
    # The standard error of the best is 0.03/√3 = 0.0173.
    chosen = recommend(table_of(k4=(0.90, 0.01), k8=(0.985, 0.01), k14=(1.0, 0.03), k20=(0.999, 0.01)))
    assert chosen["n_components"] == 8
    assert chosen["reason"] == (
        "With 8 components, the mean log PPD of held-out values (0.9850) is within one standard error over runs "
        "(0.0173) of the best (14 components: 1.0000), and nothing with fewer components comes as close "
        "(3 runs each of 4 settings)."
    )
    best = recommend(table_of(k4=(0.90, 0.01), k14=(1.0, 0.03)))
    assert best["n_components"] == 14
    assert best["reason"].startswith("With 14 components, held-out values are predicted best")


def test_single_runs_fall_back_on_the_error_over_entries():
    table = table_of(k4=(0.8, 0.0), k8=(1.0, 0.0)).query("init == 0")
    assert list(summarise_settings(table)["log_ppd_se"]) == [0.5, 0.5]
    chosen = recommend(table)
    assert chosen["n_components"] == 4
    assert "one standard error over held-out entries (0.5000)" in chosen["reason"]


def test_a_single_setting_is_no_choice():
    reason = recommend(table_of(k4=(0.9, 0.01)))["reason"]
    assert reason == "Nothing but 4 components was tried (mean log PPD 0.9000); give several to choose from."


def test_of_equally_many_components_the_better_shape_is_taken():
    table = table_of(k4=(0.99, 0.05), k8=(1.0, 0.05))
    worse = table.assign(shape=0.75, log_ppd=table["log_ppd"] - 0.005)
    chosen = recommend(pd.concat([worse, table.assign(shape=0.25)]))
    assert (chosen["n_components"], chosen["shape"]) == (4, 0.25)
    assert "4 components and shape 0.25" in chosen["reason"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_components": (4, 0)}, ValueError, "n_components must be at least 1"),
        ({"n_components": ()}, ValueError, "at least one value"),
        ({"n_components": (2.5,)}, TypeError, "whole number"),
        ({"shape": (0.5, -1.0)}, ValueError, "shape must be above 0"),
        ({"model": "pca"}, ValueError, "model must be one of"),
        ({"n_masks": 0}, ValueError, "n_masks must be at least 1"),
        ({"fraction": 1.5}, ValueError, "fraction must be a number"),
        ({"burnin": 3}, TypeError, "does not take burnin"),
        ({"mask": "held_out"}, TypeError, "does not take mask"),
        ({"checkpoint": "run.npz"}, TypeError, "does not take checkpoint"),
        ({"init": (1, 2, 3)}, TypeError, "init takes a name here"),
        ({"shape": "auto"}, TypeError, "shape takes numbers to compare"),
        ({"path": "."}, IsADirectoryError, "is a folder"),
    ],
)
def test_bad_arguments_are_refused_before_any_fit(adata, fits, arguments, error, message):
    with pytest.raises(error, match=message):
        tl.select_components(adata, **arguments)
    assert fits == []
    assert "select_components" not in adata.uns


def test_exact_values_alone_are_refused_before_any_fit(adata, fits):
    adata.X = np.round(adata.X)
    with pytest.raises(ValueError, match="all values are exactly 0 or 1"):
        tl.select_components(adata, 2, model="nmf")
    assert fits == []

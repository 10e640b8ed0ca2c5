import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import methyl_dncb as md


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    settings = [("dncb_mf", 0.25, 2.2), ("dncb_mf", 0.75, 1.9), ("nmf", np.nan, 1.0)]
    rows = [
        {"model": model, "shape": shape, "n_components": K, "mask": mask, "ppd": level + K / 100 + rng.normal(0, 0.05)}
        for model, shape, level in settings
        for K in (20, 4, 10)
        for mask in range(5)
    ]
    table = pd.DataFrame(rows)
    return table.assign(log_ppd=np.log(table["ppd"]), log_ppd_se=0.02)


def test_lines_are_means_by_model_and_shape_in_order_of_k(table):
    ax = md.pl.heldout(table, show=False)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "DNCB-MF, ε = 0.25",
        "DNCB-MF, ε = 0.75",
        "NMF",
    ]
    lines = [container.lines[0] for container in ax.containers]
    runs = table[table["shape"] == 0.25]
    np.testing.assert_allclose(
        lines[0].get_ydata(), [runs[runs["n_components"] == K]["ppd"].mean() for K in (4, 10, 20)]
    )
    assert [label.get_text() for label in ax.get_xticklabels()] == ["4", "10", "20"]


def test_bars_are_95_percent_intervals_of_the_mean(table):
    ax = md.pl.heldout(table, show=False)
    segment = ax.containers[0].lines[2][0].get_segments()[1][:, 1]
    runs = table[(table["shape"] == 0.25) & (table["n_components"] == 10)]["ppd"]
    half = t.ppf(0.975, 4) * runs.std() / np.sqrt(5)
    np.testing.assert_allclose(segment, [runs.mean() - half, runs.mean() + half])


def test_a_single_run_has_the_interval_of_its_entries(table):
    ax = md.pl.heldout(table.iloc[[0]], show=False)
    segment = ax.containers[0].lines[2][0].get_segments()[0][:, 1]
    np.testing.assert_allclose(segment, np.exp(table["log_ppd"].iloc[0] + np.array([-1.96, 1.96]) * 0.02))


def test_reads_what_select_components_wrote(fitted, table):
    with pytest.raises(ValueError, match=r"call tl\.select_components"):
        md.pl.heldout(fitted)
    fitted.uns["select_components"] = {"table": table}
    assert len(md.pl.heldout(fitted, show=False).containers) == 3


def test_other_tables_are_refused(table):
    with pytest.raises(ValueError, match="lacks the columns ppd"):
        md.pl.heldout(table.drop(columns="ppd"))
    with pytest.raises(ValueError, match="is empty"):
        md.pl.heldout(table.iloc[:0])


def test_looks_as_it_did(table, looks_like):
    looks_like(md.pl.heldout(table, return_fig=True), "heldout")

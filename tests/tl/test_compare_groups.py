import importlib.util
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import pytest

import methyl_dncb as md
from methyl_dncb.tl._compare_groups import _mean_draws

SIMULATION = Path(__file__).parents[2] / "benchmarks" / "group_coverage.py"


@pytest.fixture(scope="module")
def fitted():
    adata = md.datasets.simulate_groups(30, 60, rng=0)
    adata.obs["batch"] = ["a"] * 14 + ["b"] * 15 + [None]
    md.tl.dncb_mf(adata, 4, n_burnin=100, n_draws=50, thin=4, keep_draws=True, rng=0)
    return adata


def rho(adata):
    theta1, theta2 = adata.obsm["dncb_mf_theta1_draws"].astype(float), adata.obsm["dncb_mf_theta2_draws"]
    return theta1 / (theta1 + theta2)


def test_the_table_of_the_samples_themselves(fitted):
    md.tl.compare_groups(fitted, "group", target="samples", interval=0.8)
    table = fitted.uns["compare_groups"]
    assert len(table) == 3 * 4
    assert table["group"].unique().tolist() == ["G1", "G2", "G3"]
    inside = (fitted.obs["group"] == "G2").to_numpy()
    difference = rho(fitted)[inside].mean(axis=0) - rho(fitted)[~inside].mean(axis=0)
    of_group = table[table["group"] == "G2"].set_index("component").sort_index()
    np.testing.assert_allclose(of_group["difference"], difference.mean(axis=1))
    np.testing.assert_allclose(of_group["low"], np.quantile(difference, 0.1, axis=1))
    np.testing.assert_allclose(of_group["high"], np.quantile(difference, 0.9, axis=1))
    sure = np.maximum((difference > 0).mean(axis=1), (difference <= 0).mean(axis=1))
    np.testing.assert_allclose(of_group["probability_of_direction"], sure)
    assert (of_group["n_group"] == 10).all()
    assert table.groupby("group")["probability_of_direction"].apply(lambda p: p.is_monotonic_decreasing).all()


def test_a_named_reference_and_samples_without_a_group(fitted):
    md.tl.compare_groups(fitted, "batch", "b", rng=0, key_added="batches")
    table = fitted.uns["batches"]
    assert table["group"].unique().tolist() == ["a"]
    assert table[["n_group", "n_reference"]].drop_duplicates().to_numpy().tolist() == [[14, 15]]
    wide = table.set_index("component")
    md.tl.compare_groups(fitted, "batch", "b", target="samples", key_added="batches")
    narrow = fitted.uns["batches"].set_index("component")
    ratio = (wide["high"] - wide["low"]) / (narrow["high"] - narrow["low"])
    assert (ratio >= 1).all()
    assert ratio.max() > 1.2


@pytest.mark.parametrize("write", ["write_h5ad", "write_zarr"])
def test_the_table_survives_a_file(fitted, tmp_path, write):
    md.tl.compare_groups(fitted, "group", rng=0)
    getattr(fitted, write)(tmp_path / "a.file")
    back = (ad.read_h5ad if write == "write_h5ad" else ad.read_zarr)(tmp_path / "a.file")
    pd.testing.assert_frame_equal(back.uns["compare_groups"], fitted.uns["compare_groups"], check_dtype=False)


def test_bad_input_is_named(fitted):
    with pytest.raises(ValueError, match="not there"):
        md.tl.compare_groups(fitted, "nothing")
    with pytest.raises(ValueError, match="no group 'G9'"):
        md.tl.compare_groups(fitted, "group", "G9")
    with pytest.raises(ValueError, match="target must be"):
        md.tl.compare_groups(fitted, "group", target="world")
    bare = fitted.copy()
    bare.obs["alone"] = ["x"] + ["y"] * 29
    with pytest.raises(ValueError, match="one side has 1 sample"):
        md.tl.compare_groups(bare, "alone")
    md.tl.compare_groups(bare, "alone", target="samples")
    del bare.obsm["dncb_mf_theta1_draws"]
    with pytest.raises(ValueError, match="keep_draws=True"):
        md.tl.compare_groups(bare, "group")
    with pytest.raises(ValueError, match="no fit"):
        md.tl.compare_groups(fitted, "group", key="other")


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
def test_intervals_of_population_means_cover(noise):
    """ρ of samples from a known population, seen with known noise: 90% intervals cover 85–95% of the time."""
    rng = np.random.default_rng(1)
    n, n_replicates, n_draws = 12, 1500, 300
    truth = rng.normal(0.5, 0.1, size=(n, n_replicates))
    seen = truth + noise * rng.normal(size=truth.shape)
    draws = seen[:, :, None] + noise * rng.normal(size=(n, n_replicates, n_draws))
    low, high = np.quantile(_mean_draws(draws, "population", rng), (0.05, 0.95), axis=1)
    assert 0.85 < np.mean((low < 0.5) & (high > 0.5)) < 0.95


def test_intervals_after_a_fit_cover():
    """The simulation of benchmarks/group_coverage.py, shortened: 45 intervals of each kind, so ±13% at 3σ."""
    spec = importlib.util.spec_from_file_location("group_coverage", SIMULATION)
    simulation = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(simulation)
    found = simulation.coverage(15, simulation.ALIKE, n_vars=45, strength=3.0)
    assert 0.76 < found["population"] < 1.0
    assert 0.76 < found["samples"] < 1.0

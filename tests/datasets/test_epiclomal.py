from __future__ import annotations

import numpy as np
import pytest

from methyl_dncb import datasets

# Of the authors' files with seed 0: quantiles 5, 25, 50, 75, 95% of β; mean; variance; correlation of
# neighbouring loci; standard deviation of sample means and of locus means; singular values 1, 2, 3, 6, 11,
# 31 and 61 of the matrix about its mean.
AUTHORS = {
    "low": [
        0.0808, 0.2006, 0.5, 0.7994, 0.9192, 0.4990, 0.0905, 0.0036, 0.0145, 0.0311,
        9.576, 9.427, 9.401, 9.015, 8.641, 7.449, 5.972,
    ],
    "medium": [
        0.0010, 0.1407, 0.4900, 0.8792, 0.9990, 0.5031, 0.1348, 0.3539, 0.0679, 0.0361,
        19.583, 18.367, 17.774, 15.257, 10.483, 8.030, 6.151,
    ],
    "high": [
        0.0010, 0.0309, 0.1707, 0.4301, 0.8693, 0.2711, 0.0777, 0.5518, 0.0548, 0.0231,
        18.254, 16.511, 16.110, 13.603, 7.983, 5.311, 3.933,
    ],
}  # fmt: skip


def figures(beta: np.ndarray) -> np.ndarray:
    """Levels, spread and structure of a β matrix, as listed above."""
    centred = (beta - beta.mean()).astype(float)
    singular = np.sqrt(np.linalg.eigvalsh(centred @ centred.T)[::-1].clip(0))
    neighbours = np.corrcoef(beta[:, :-1].ravel(), beta[:, 1:].ravel())[0, 1]
    spread = [beta.mean(), beta.var(), neighbours, beta.mean(axis=1).std(), beta.mean(axis=0).std()]
    return np.concatenate(
        [np.quantile(beta, [0.05, 0.25, 0.5, 0.75, 0.95]), spread, singular[[0, 1, 2, 5, 10, 30, 60]]]
    )


@pytest.mark.parametrize("dispersion", ["low", "medium", "high"])
def test_draws_match_the_authors_data(dispersion, seed):
    draws = np.array([figures(datasets.epiclomal(dispersion, rng=[seed, replicate]).X) for replicate in range(20)])
    # β comes in steps of 1/100.2, which is also how finely a quantile can be known.
    sigma = np.hypot(draws.std(axis=0, ddof=1), [0.005] * 5 + [0.0005] * 5 + [0.01] * 7)
    z = (np.array(AUTHORS[dispersion]) - draws.mean(axis=0)) / sigma
    assert np.abs(z).max() < 5, z.round(1)


@pytest.mark.parametrize("dispersion", ["low", "medium", "high"])
@pytest.mark.parametrize("other", ["low", "medium", "high"])
def test_the_comparison_tells_settings_apart(dispersion, other):
    """The test above would fail for the wrong setting."""
    gap = np.abs(figures(datasets.epiclomal(other, rng=0).X) - AUTHORS[dispersion])
    assert (gap[5:7].max() > 0.02) == (dispersion != other)


def test_counts_and_regions():
    adata = datasets.epiclomal("high", n_obs=12, n_vars=120, n_clones=5, n_cells=40, n_regions=6, rng=0)
    methylated, unmethylated = adata.layers["methylated"], adata.layers["unmethylated"]
    assert (methylated + unmethylated == 40).all()
    assert methylated.min() >= 0
    np.testing.assert_allclose(adata.X, (methylated + 0.1) / 40.2, rtol=1e-6)
    assert (adata.obsm["region_size"].sum(axis=1) == 120).all()
    assert adata.obsm["region_mu"].shape == (12, 6)
    assert (adata.obsm["clone_cells"].sum(axis=1) == 40).all()
    # Regions are contiguous: their numbers only ever rise along the loci.
    assert (np.diff(adata.var["region"].cat.codes) >= 0).all()
    again = datasets.epiclomal("high", n_obs=12, n_vars=120, n_clones=5, n_cells=40, n_regions=6, rng=0)
    np.testing.assert_array_equal(adata.X, again.X)


def test_clones_are_all_different_and_one_flip_from_an_earlier_one():
    from methyl_dncb.datasets._epiclomal import _clone_flips

    has_loci = np.array([True, True, False, True, True])
    flips = _clone_flips(16, has_loci, np.random.default_rng(0))
    assert len(np.unique(flips, axis=0)) == 16
    assert not flips[:, 2].any()
    for c in range(1, 16):
        assert (flips[:c] ^ flips[c]).sum(axis=1).min() == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dispersion": "none"}, "dispersion is 'none'"),
        ({"dispersion": "low", "n_obs": 0}, "n_obs must be at least 1"),
        ({"dispersion": "low", "n_regions": 3}, "at most 8 clones"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.epiclomal(**arguments)

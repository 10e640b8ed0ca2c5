"""Bessel variates, by every route that the sampler can take."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from methyl_dncb.model._bessel import BesselSampler, sample_bessel
from tests.reference import bessel_pmf

N = 200_000
# Series near 0; first, inner and last table cells, at their ends and inside; rejection beyond the tables.
ARGUMENTS = [0.0, 1e-6, 0.0035, 0.0039, 0.0157, 0.3, 1.0, 4.01, 30.0, 250.0, 783.9, 784.1, 2e3, 1e5]
ORDERS = [-0.999, -0.75, -0.25, 0.0, 1.0, 9.0]


def by_table(v, x, rng):
    out = np.empty(N, dtype=np.uint32)
    BesselSampler(v).draw(rng.bit_generator, np.full(N, float(x)), out)
    return out


def by_any_order(v, x, rng):
    out = np.empty(N, dtype=np.uint32)
    sample_bessel(rng.bit_generator, np.full(N, float(v)), np.full(N, float(x)), out)
    return out


def p_value(draws, pmf):
    """χ² over cells with enough expected counts, the rest taken together."""
    observed = np.bincount(draws, minlength=pmf.size)
    expected = np.pad(pmf, (0, observed.size - pmf.size)) * draws.size
    common = expected > 20
    cells, wanted = observed[common], expected[common]
    if expected[~common].sum() > 5:
        cells, wanted = np.append(cells, observed[~common].sum()), np.append(wanted, expected[~common].sum())
    if cells.size == 1:
        return 1.0 if draws.size - cells[0] < 100 else 0.0
    return scipy_stats.chi2.sf(((cells - wanted) ** 2 / wanted).sum(), cells.size - 1)


@pytest.mark.parametrize("draw", [by_table, by_any_order])
@pytest.mark.parametrize("v", ORDERS)
@pytest.mark.parametrize("x", ARGUMENTS)
def test_variates_follow_the_pmf(draw, v, x, rng):
    draws, pmf = draw(v, x, rng), bessel_pmf(v, x)
    y = np.arange(pmf.size)
    mean = pmf @ y
    variance = pmf @ (y - mean) ** 2
    fourth = pmf @ (y - mean) ** 4
    assert abs(draws.mean() - mean) <= 6 * np.sqrt(variance / N) + 1e-4
    assert abs(((draws - mean) ** 2).mean() - variance) <= 6 * np.sqrt(max(fourth - variance**2, 0) / N) + 1e-3
    assert p_value(draws, pmf) > 1e-12


@pytest.mark.parametrize("draw", [by_table, by_any_order])
def test_a_wrong_order_or_argument_is_noticed(draw, rng):
    """What the tests above would say of samplers that are subtly wrong."""
    draws = draw(-0.25, 3.0, rng)
    assert p_value(draws, bessel_pmf(0.75, 3.0)) < 1e-12
    assert p_value(draws, bessel_pmf(-0.25, 3.3)) < 1e-12
    assert p_value(draws, bessel_pmf(-0.25, 3.0)) > 1e-12


def test_tables_serve_arguments_that_vary(rng):
    """Thinning must be right within a cell, not only at its ends: E[y] against arguments spread over cells."""
    x = np.exp(rng.uniform(np.log(1e-3), np.log(700), size=N))
    out = np.empty(N, dtype=np.uint32)
    BesselSampler(-0.4).draw(rng.bit_generator, x, out)
    from methyl_dncb import stats

    a = 2 * np.sqrt(x)
    z = (out - stats.bessel.mean(-0.4, a)) / stats.bessel.std(-0.4, a)
    for part in np.array_split(z[np.argsort(x)], 20):
        assert abs(part.mean()) < 6 / np.sqrt(part.size)


def test_same_generator_same_variates():
    x = np.geomspace(1e-4, 1e4, 500)
    first, second = np.empty((2, x.size), dtype=np.uint32)
    BesselSampler(-0.25).draw(np.random.SFC64(5), x, first)
    BesselSampler(-0.25).draw(np.random.SFC64(5), x, second)
    np.testing.assert_array_equal(first, second)

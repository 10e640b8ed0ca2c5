import numpy as np
import pytest

import methyl_dncb as md


def test_curves_are_the_densities_under_their_labels():
    ax = md.pl.density([(0.5, 0.75, 0, 2), (2, 2, 3, 1)], show=False)
    first, second = ax.lines
    np.testing.assert_allclose(second.get_ydata(), md.stats.dncb.pdf(second.get_xdata(), 2, 2, 3, 1))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "ε = (0.5, 0.75), λ = (0, 2)",
        "ε = (2, 2), λ = (3, 1)",
    ]
    assert first.get_linestyle() != second.get_linestyle()  # told apart without colour, too


def test_an_unbounded_density_does_not_flatten_the_rest():
    ax = md.pl.density([(0.1, 0.1, 0, 0), (3, 3, 0, 0)], show=False)
    assert ax.get_ylim()[1] < 6


def test_labels_can_be_given():
    ax = md.pl.density({"prior": (1, 1, 0, 0)}, show=False)
    assert ax.get_legend().get_texts()[0].get_text() == "prior"


@pytest.mark.parametrize("wrong", [(1, 1, 0), [(1, 1, 0)], (0, 1, 1, 1), (1, 1, -1, 0), []])
def test_bad_settings_are_refused(wrong):
    with pytest.raises(ValueError, match="ε₁, ε₂, λ₁, λ₂"):
        md.pl.density(wrong)


def test_looks_as_it_did(looks_like):
    looks_like(md.pl.density([(0.75, 0.75, 4, 1), (0.25, 0.25, 2, 2)], return_fig=True), "density")

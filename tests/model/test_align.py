import numpy as np
import pytest

from methyl_dncb.model._align import align_draws, match_components, stability
from methyl_dncb.model._trace import Draws

N, M, K, C, D = 9, 60, 4, 3, 5


@pytest.fixture
def factors():
    rng = np.random.default_rng(0)
    theta1, theta2 = rng.gamma(0.5, size=(2, N, K)) + 1e-3
    return theta1, theta2, rng.gamma(0.1, size=(M, K)) + 1e-6


def noisy_draws(factors, *, shuffle, noise=0.05):
    """Draws around the same factors, with the scales and, if asked, the orders of their components at random."""
    rng = np.random.default_rng(1)
    draws = Draws.room_for((N, M, K), C, D)
    for chain in range(C):
        for draw in range(D):
            order = rng.permutation(K) if shuffle else np.arange(K)
            scale = rng.gamma(1.0, size=K) + 0.1
            theta1, theta2, phi = (a[:, order] * rng.gamma(1 / noise**2, noise**2, size=a.shape) for a in factors)
            draws.record(chain, draw, (theta1 / scale, theta2 / scale, phi * scale))
    return draws


def rho(draws):
    return draws.theta1_NKCD / (draws.theta1_NKCD + draws.theta2_NKCD)


def test_matching_undoes_a_permutation(factors):
    phi = factors[2]
    order = np.array([2, 0, 3, 1])
    np.testing.assert_array_equal(phi[:, order][:, match_components(phi[:, order], phi)], phi)


def test_shuffled_draws_fall_into_line_and_are_stable(factors):
    draws = noisy_draws(factors, shuffle=True)
    found = align_draws(draws)
    assert (found > 0.95).all()
    spread = rho(draws).std(axis=(2, 3))
    assert spread.max() < 0.1
    # Every part of a draw moved together: λ of each draw is still θφ of one sample's own draw.
    order = match_components(draws.phi_MKCD[:, :, 0, 0], factors[2])
    np.testing.assert_allclose(draws.scale_KCD.shape, (K, C, D))
    np.testing.assert_allclose(
        rho(draws)[:, order].mean(axis=(2, 3)), factors[0] / (factors[0] + factors[1]), atol=0.05
    )


def test_normalisation_leaves_rates_and_rho_alone(factors):
    theta1, theta2, phi = factors
    draws = Draws.room_for((N, M, K), 1, 1)
    draws.record(0, 0, (theta1, theta2, phi))
    np.testing.assert_allclose(draws.phi_MKCD.mean(axis=0).squeeze(), 1.0, rtol=1e-5)
    np.testing.assert_allclose(draws.theta1_NKCD[..., 0, 0] @ draws.phi_MKCD[..., 0, 0].T, theta1 @ phi.T, rtol=1e-5)
    np.testing.assert_allclose(rho(draws)[..., 0, 0], theta1 / (theta1 + theta2), rtol=1e-5)


def test_rho_is_defined_where_theta_underflows(factors):
    draws = Draws.room_for((N, M, K), 1, 1)
    draws.record(0, 0, (np.full((N, K), 1e-300), np.full((N, K), 1e-200), factors[2]))
    assert np.isfinite(rho(draws)).all()


def test_a_component_found_by_one_chain_only_is_unstable(factors):
    draws = noisy_draws(factors, shuffle=False)
    rng = np.random.default_rng(2)
    draws.phi_MKCD[:, 1, 0] = (rng.gamma(0.1, size=M) + 1e-6)[:, None]
    found = align_draws(draws)
    assert found[1] < 0.7
    assert (found[[0, 2, 3]] > 0.9).all()


def test_twin_components_are_reported_as_ambiguous(factors):
    theta1, theta2, phi = factors
    phi = phi.copy()
    phi[:, 1] = phi[:, 0]
    found = align_draws(noisy_draws((theta1, theta2, phi), shuffle=False))
    assert (found[:2] < 0.8).all()
    assert (found[2:] > 0.9).all()


def test_one_chain_is_held_against_itself(factors):
    phi = noisy_draws(factors, shuffle=False).phi_MKCD
    assert (stability(phi[:, :, :1]) > 0.95).all()
    assert np.isnan(stability(phi[:, :, :1, :1])).all()

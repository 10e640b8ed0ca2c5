"""Every random test takes its seed from `seed`: 0 by default, any other with `pytest --seed N`."""

import numpy as np
import pytest


def pytest_addoption(parser):
    parser.addoption("--seed", type=int, default=0, help="seed of the random tests; all must pass for any")


@pytest.fixture
def seed(request) -> int:
    return request.config.getoption("--seed")


@pytest.fixture
def rng(seed) -> np.random.Generator:
    return np.random.default_rng(seed)

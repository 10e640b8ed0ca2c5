"""What the tests of `tl` share."""

import io

import pytest
import scanpy as sc


@pytest.fixture
def log():
    """What scanpy's logger says, at the level where it tells of results."""
    before = sc.settings.verbosity, sc.settings.logfile
    sc.settings.verbosity, sc.settings.logfile = 3, io.StringIO()
    yield sc.settings.logfile
    sc.settings.verbosity, sc.settings.logfile = before

import os
import signal
import subprocess
import sys
import threading
import time

import anndata as ad
import numpy as np
import pytest

import methyl_dncb as md
from methyl_dncb import _checkpoint
from methyl_dncb.tl import _keeper

SETTINGS = {"n_components": 3, "n_burnin": 30, "n_draws": 10, "thin": 3, "n_chains": 2, "rng": 1}

# A fit that takes a while, saved after every sweep; the test ends it.
LONG_FIT = """
import sys
import anndata as ad
import methyl_dncb as md
adata = ad.read_h5ad(sys.argv[1])
md.tl.dncb_mf(adata, 3, shape="auto", n_burnin=100, n_draws=20, thin=10, n_chains=2, rng=7, n_jobs=2,
              checkpoint=sys.argv[2], checkpoint_interval=0)
"""


@pytest.fixture(scope="module")
def adata():
    return md.datasets.simulate_groups(24, 40, missing=0.05, rng=0)


def assert_same_fit(one: ad.AnnData, other: ad.AnnData) -> None:
    for slot in ("obsm", "varm"):
        for key in getattr(one, slot):
            np.testing.assert_array_equal(getattr(one, slot)[key], getattr(other, slot)[key])
    for key in ("log_likelihood", "sweep", "shape", "scale"):
        np.testing.assert_array_equal(one.uns["dncb_mf"][key], other.uns["dncb_mf"][key])


@pytest.mark.parametrize("suffix", ["zarr", "npz"])
def test_killed_and_resumed_is_as_if_never_stopped(adata, tmp_path, suffix):
    data, path = tmp_path / "data.h5ad", tmp_path / f"run.{suffix}"
    adata.write_h5ad(data)
    process = subprocess.Popen([sys.executable, "-c", LONG_FIT, data, path])
    try:
        for _ in range(1200):
            if path.exists() and process.poll() is None and sweeps_saved(path) >= 12:
                break
            assert process.poll() is None, "the fit ended before it could be killed"
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert 12 <= sweeps_saved(path) < 300

    resumed = md.tl.dncb_mf(adata, resume=path, copy=True)
    options = {"n_burnin": 100, "n_draws": 20, "thin": 10, "n_chains": 2, "rng": 7}
    whole = md.tl.dncb_mf(adata, 3, shape="auto", **options, copy=True)
    assert_same_fit(resumed, whole)


def sweeps_saved(path) -> int:
    try:
        return int(_checkpoint.read_checkpoint(path)[0]["sweep"][0])
    except (ValueError, FileNotFoundError):  # nothing saved yet, or the zarr replaced while it was read
        return 0


def test_ctrl_c_leaves_a_valid_checkpoint(adata, tmp_path):
    path = tmp_path / "run.npz"
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt, match="resume="):
        md.tl.dncb_mf(adata, **SETTINGS | {"n_burnin": 100_000}, checkpoint=path)
    arrays, facts = _checkpoint.read_checkpoint(path)
    assert 0 < arrays["sweep"][0] < 100_000
    assert facts["params"]["n_burnin"] == 100_000
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert "dncb_mf" not in adata.uns


@pytest.mark.parametrize("auto", [{}, {"n_burnin": "auto"}])
def test_a_finished_run_is_extended_bit_for_bit(adata, tmp_path, auto):
    path = tmp_path / "run.npz"
    options = SETTINGS | auto
    md.tl.dncb_mf(adata, **options, checkpoint=path, copy=True)
    extended = md.tl.dncb_mf(adata, n_draws=25, keep_draws=True, resume=path, copy=True)
    whole = md.tl.dncb_mf(adata, **options | {"n_draws": 25}, keep_draws=True, copy=True)
    assert_same_fit(extended, whole)
    assert extended.uns["dncb_mf"]["params"]["n_draws"] == 25
    again = md.tl.dncb_mf(adata, resume=path, copy=True)
    assert again.uns["dncb_mf"]["params"]["n_draws"] == 25


@pytest.fixture(scope="module")
def finished(adata, tmp_path_factory):
    path = tmp_path_factory.mktemp("checkpoint") / "run.npz"
    md.tl.dncb_mf(adata, **SETTINGS, checkpoint=path, copy=True)
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_components": 5}, "n_components is 5, was 3"),
        ({"shape": 0.3}, r"shape is \[0.3, 0.3\], was \[0.75, 0.75\]"),
        ({"n_draws": 5}, "n_draws is 5, was 10"),
        ({"rng": 2, "thin": 7}, r"thin is 7, was 3; rng is \[2\], was \[1\]"),
    ],
)
def test_other_parameters_are_refused_with_what_differs(adata, finished, change, said):
    with pytest.raises(ValueError, match=said):
        md.tl.dncb_mf(adata, **change, resume=finished)
    assert "dncb_mf" not in adata.uns


def test_the_same_parameters_may_be_repeated(adata, finished):
    once = md.tl.dncb_mf(adata, **SETTINGS, resume=finished, copy=True)
    assert_same_fit(once, md.tl.dncb_mf(adata, **SETTINGS, copy=True))


def test_other_data_are_refused(adata, finished):
    other = adata.copy()
    other.X[0, 0] = 0.123
    with pytest.raises(ValueError, match=r"β values .* are others"):
        md.tl.dncb_mf(other, resume=finished)


def test_another_version_is_refused(adata, finished, monkeypatch):
    monkeypatch.setattr(_keeper, "version", lambda name: "99.0")
    with pytest.raises(ValueError, match=r"version 99\.0, was"):
        md.tl.dncb_mf(adata, resume=finished)


def test_start_arrays_and_gene_masks_are_kept(adata, tmp_path):
    rng = np.random.default_rng(0)
    genes = np.arange(40) % 2 == 0
    init = (rng.random((24, 3)), rng.random((24, 3)), rng.random((20, 3)))
    path = tmp_path / "run.zarr"
    whole = md.tl.dncb_mf(adata, **SETTINGS, init=init, mask_var=genes, checkpoint=path, copy=True)
    assert_same_fit(md.tl.dncb_mf(adata, resume=path, copy=True), whole)
    with pytest.raises(ValueError, match="mask_var is an array of 40 values, was an array of 40 values"):
        md.tl.dncb_mf(adata, resume=path, mask_var=~genes)


def test_files_are_neither_overwritten_nor_guessed(adata, finished, tmp_path):
    with pytest.raises(FileExistsError, match="resume="):
        md.tl.dncb_mf(adata, **SETTINGS, checkpoint=finished)
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        md.tl.dncb_mf(adata, resume=tmp_path / "none.zarr")
    with pytest.raises(ValueError, match=r"\.zarr or a \.npz"):
        md.tl.dncb_mf(adata, checkpoint=tmp_path / "run.h5")
    stray = tmp_path / "stray.npz"
    np.savez(stray, a=1)
    with pytest.raises(ValueError, match="not a checkpoint"):
        md.tl.dncb_mf(adata, resume=stray)


@pytest.mark.parametrize("suffix", ["zarr", "npz"])
def test_a_failed_write_leaves_the_old_checkpoint(tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    _checkpoint.write_checkpoint(path, {"a": np.arange(3)}, {"n": 1})

    class Broken:
        def __array__(self, *args, **kwargs):
            raise OSError("disc full")

    with pytest.raises(OSError, match="disc full"):
        _checkpoint.write_checkpoint(path, {"a": np.arange(4), "b": Broken()}, {"n": 2})
    arrays, facts = _checkpoint.read_checkpoint(path)
    assert facts == {"n": 1}
    np.testing.assert_array_equal(arrays["a"], np.arange(3))
    _checkpoint.write_checkpoint(path, {"a": np.arange(5)}, {"n": 3})
    assert _checkpoint.read_checkpoint(path)[1] == {"n": 3}

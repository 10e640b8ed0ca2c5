"""`tl.dncb_mf` as its users meet it: what it writes, what it takes, what it refuses."""

import anndata as ad
import numpy as np
import pytest
import scanpy as sc
from scipy import sparse

import methyl_dncb as md

QUICK = {"n_components": 3, "n_burnin": 6, "n_draws": 4, "thin": 3, "rng": 1}
KEYS = {"obsm": {"X_dncb_mf", "dncb_mf_theta1", "dncb_mf_theta2"}, "varm": {"dncb_mf_phi"}, "uns": {"dncb_mf"}}
DRAWS = {"obsm": {"dncb_mf_theta1_draws", "dncb_mf_theta2_draws"}, "varm": {"dncb_mf_phi_draws"}}


def plain(n_obs=12, n_vars=20, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    return ad.AnnData(rng.uniform(0.01, 0.99, size=(n_obs, n_vars)).astype(dtype))


def fitted(adata, **arguments):
    return md.tl.dncb_mf(adata, **(QUICK | arguments), copy=True)


def assert_same_fit(left, right, stem="dncb_mf"):
    for slot, names in KEYS.items():
        if slot != "uns":
            for name in names:
                np.testing.assert_array_equal(getattr(left, slot)[name], getattr(right, slot)[name], err_msg=name)
    np.testing.assert_array_equal(left.uns[stem]["log_likelihood"], right.uns[stem]["log_likelihood"])


class TestContract:
    @pytest.mark.parametrize("keep_draws", [False, True])
    def test_writes_exactly_the_keys(self, keep_draws):
        adata = plain()
        assert md.tl.dncb_mf(adata, **QUICK, keep_draws=keep_draws) is None
        for slot, names in KEYS.items():
            assert set(getattr(adata, slot)) == names | (DRAWS.get(slot, set()) if keep_draws else set())
        assert set(adata.layers) - {None} == set(adata.obsp) == set()  # newer anndata lists X there, as None
        assert adata.obsm["X_dncb_mf"].shape == adata.obsm["dncb_mf_theta1"].shape == (12, 3)
        assert adata.varm["dncb_mf_phi"].shape == (20, 3)
        if keep_draws:
            assert adata.obsm["dncb_mf_theta1_draws"].shape == (12, 3, 4)
            assert adata.varm["dncb_mf_phi_draws"].shape == (20, 3, 4)
            assert adata.varm["dncb_mf_phi_draws"].dtype == np.float32

    def test_embedding_and_means_are_those_of_the_draws(self):
        adata = fitted(plain(), keep_draws=True)
        theta1, theta2 = (adata.obsm[f"dncb_mf_theta{r}_draws"].astype(float) for r in (1, 2))
        np.testing.assert_allclose(adata.obsm["X_dncb_mf"], (theta1 / (theta1 + theta2)).mean(axis=2), rtol=1e-6)
        np.testing.assert_allclose(adata.obsm["dncb_mf_theta1"], theta1.mean(axis=2), rtol=1e-5)
        np.testing.assert_allclose(adata.obsm["dncb_mf_theta2"], theta2.mean(axis=2), rtol=1e-5)
        np.testing.assert_allclose(adata.varm["dncb_mf_phi"], adata.varm["dncb_mf_phi_draws"].mean(axis=2), rtol=1e-5)
        assert ((adata.obsm["X_dncb_mf"] > 0) & (adata.obsm["X_dncb_mf"] < 1)).all()

    def test_key_added_replaces_the_stem_everywhere(self):
        adata = fitted(plain(), key_added="foo", keep_draws=True)
        assert set(adata.obsm) == {"X_foo", "foo_theta1", "foo_theta2", "foo_theta1_draws", "foo_theta2_draws"}
        assert set(adata.varm) == {"foo_phi", "foo_phi_draws"}
        assert set(adata.uns) == {"foo"}

    def test_copy_leaves_the_original(self):
        adata = plain()
        fitted(adata)
        assert not adata.obsm
        assert not adata.uns

    def test_draws_of_an_earlier_fit_do_not_linger(self):
        adata = fitted(plain(), keep_draws=True)
        md.tl.dncb_mf(adata, **QUICK)
        assert "dncb_mf_phi_draws" not in adata.varm

    @pytest.mark.parametrize("store", ["h5ad", "zarr"])
    def test_everything_survives_a_file(self, store, tmp_path):
        adata = fitted(plain(), keep_draws=True, n_chains=2)
        path = tmp_path / f"fit.{store}"
        getattr(adata, f"write_{store}")(path)
        back = getattr(ad, f"read_{store}")(path)
        assert_same_fit(adata, back)
        for slot, names in DRAWS.items():
            for name in names:
                np.testing.assert_array_equal(getattr(adata, slot)[name], getattr(back, slot)[name])
        again = plain()
        md.tl.dncb_mf(again, **back.uns["dncb_mf"]["params"])
        assert_same_fit(adata, again)

    def test_params_repeat_a_fit_from_arrays_and_fresh_entropy(self):
        rng = np.random.default_rng(0)
        init = rng.gamma(1, size=(12, 3)), rng.gamma(1, size=(12, 3)), rng.gamma(1, size=(20, 3))
        adata = fitted(plain(), init=init, rng=None, shape=(0.4, 1.2), prior=(0.2, 0.3, 0.4, 0.5))
        assert_same_fit(adata, md.tl.dncb_mf(plain(), **adata.uns["dncb_mf"]["params"], copy=True))

    def test_log_likelihood_has_a_value_every_thin_sweeps(self):
        adata = fitted(plain(), n_burnin=7, n_draws=5, thin=3, n_chains=2)
        assert adata.uns["dncb_mf"]["log_likelihood"].shape == (2, 2 + 1 + 5)
        assert np.isfinite(adata.uns["dncb_mf"]["log_likelihood"]).all()

    def test_diagnostics_are_there_when_there_are_draws_enough(self):
        uns = fitted(plain(), n_draws=20).uns["dncb_mf"]
        assert np.isfinite(uns["r_hat"])
        assert 0 < uns["ess"] <= 40
        assert np.isnan(fitted(plain(), n_draws=2).uns["dncb_mf"]["ess"])


class TestData:
    def test_dtype_order_and_place_do_not_matter(self, tmp_path):
        reference = fitted(plain())
        X = plain().X
        for variant in (X.astype(np.float64), np.asfortranarray(X), X.astype(">f4"), X.astype(np.longdouble)):
            assert_same_fit(reference, fitted(ad.AnnData(variant)))
        layered = ad.AnnData(np.zeros_like(X), layers={"beta": X})
        assert_same_fit(reference, fitted(layered, layer="beta"))
        path = tmp_path / "beta.h5ad"
        plain().write_h5ad(path)
        backed = ad.read_h5ad(path, backed="r")
        assert_same_fit(reference, fitted(backed))
        md.tl.dncb_mf(backed, **QUICK)
        assert_same_fit(reference, backed)

    def test_data_are_never_changed(self):
        adata = plain()
        adata.layers["held_out"] = np.random.default_rng(3).random(adata.shape) < 0.2
        before = adata.copy()
        md.tl.dncb_mf(adata, **QUICK, mask="held_out")
        np.testing.assert_array_equal(adata.X, before.X)
        np.testing.assert_array_equal(adata.layers["held_out"], before.layers["held_out"])

    def test_held_out_is_the_same_as_missing(self):
        adata = plain()
        hidden = np.random.default_rng(3).random(adata.shape) < 0.2
        adata.layers["held_out"] = hidden
        missing = plain()
        missing.X[hidden] = np.nan
        assert_same_fit(fitted(adata, mask="held_out"), fitted(missing))

    def test_genes_outside_the_mask_get_nan(self):
        adata = plain()
        chosen = np.arange(20) % 2 == 0
        adata.var["highly_variable"] = chosen
        by_default = fitted(adata)
        assert np.isnan(by_default.varm["dncb_mf_phi"][~chosen]).all()
        assert_same_fit(by_default, fitted(adata, mask_var=chosen))
        np.testing.assert_array_equal(by_default.obsm["X_dncb_mf"], fitted(plain()[:, chosen].copy()).obsm["X_dncb_mf"])
        assert np.isfinite(fitted(adata, mask_var=None).varm["dncb_mf_phi"]).all()

    def test_views_become_actual_as_in_scanpy(self):
        view = plain()[:8]
        md.tl.dncb_mf(view, **QUICK)
        assert not view.is_view
        assert_same_fit(view, fitted(plain()[:8].copy()))

    def test_exact_zeros_and_ones_are_legal_and_reported_once(self, log):
        adata = plain()
        adata.X[0, :3] = 0
        adata.X[1, :2] = 1
        result = fitted(adata)
        assert np.isfinite(result.uns["dncb_mf"]["log_likelihood"]).all()
        assert log.getvalue().count("5 values are exactly 0 or 1") == 1

    def test_values_that_float32_would_round_to_one_stay_inside(self, log):
        adata = plain(dtype=np.float64)
        adata.X[0, 0], adata.X[0, 1] = 1 - 1e-12, 1e-60
        fitted(adata)
        assert "exactly" not in log.getvalue()

    @pytest.mark.parametrize("shape", [(1, 5), (5, 1), (1, 1), (3, 300)])
    def test_odd_sizes(self, shape):
        adata = fitted(plain(*shape))
        assert np.isfinite(adata.obsm["X_dncb_mf"]).all()

    def test_samples_and_genes_with_nothing_observed(self):
        adata = plain()
        adata.X[3], adata.X[:, 4] = np.nan, np.nan
        result = fitted(adata)
        assert np.isfinite(result.obsm["X_dncb_mf"]).all()
        assert np.isfinite(result.varm["dncb_mf_phi"]).all()

    def test_embedding_is_defined_even_where_loadings_vanish(self):
        """With a tiny prior shape, most loadings are smaller than float32 can say."""
        result = fitted(plain(), n_components=8, prior=0.003)
        assert np.isfinite(result.obsm["X_dncb_mf"]).all()


class TestReproducibility:
    @pytest.mark.parametrize("init", ["nmf", "prior"])
    def test_same_bits_for_any_number_of_threads(self, init):
        adata = plain(90, 300)
        adata.X[np.random.default_rng(5).random(adata.shape) < 0.1] = np.nan
        one = fitted(adata, init=init, n_jobs=1)
        for n_jobs in (2, 4, None, -1):
            assert_same_fit(one, fitted(adata, init=init, n_jobs=n_jobs))

    def test_rng_is_a_seed_or_a_generator(self):
        first = fitted(plain(), rng=7)
        assert_same_fit(first, fitted(plain(), rng=np.int64(7)))
        generator = np.random.default_rng(7)
        by_generator = fitted(plain(), rng=generator)
        assert_same_fit(by_generator, fitted(plain(), rng=np.random.default_rng(7)))
        different = fitted(plain(), rng=generator)
        assert not np.array_equal(by_generator.obsm["X_dncb_mf"], different.obsm["X_dncb_mf"])
        unseeded = [fitted(plain(), rng=None).obsm["X_dncb_mf"] for _ in range(2)]
        assert not np.array_equal(*unseeded)


def with_value(value):
    adata = plain()
    adata.X[2, 3] = value
    return adata


def with_X(X):
    adata = ad.AnnData(np.zeros(X.shape, dtype=np.float32))
    adata.X = X
    return adata


BAD_DATA = {
    "above one": (lambda: with_value(1.2), ValueError, "outside"),
    "infinite": (lambda: with_value(np.inf), ValueError, "infinite"),
    "minus infinite": (lambda: with_value(-np.inf), ValueError, "infinite"),
    "M-values": (lambda: with_X(np.random.default_rng(0).normal(0, 3, (9, 8))), ValueError, "M-values"),
    "percent": (lambda: with_X(np.random.default_rng(0).uniform(0, 100, (9, 8))), ValueError, "percent"),
    "far out": (lambda: with_value(1e6), ValueError, "outside"),
    "integers": (lambda: with_X(np.ones((5, 4), dtype=np.int64)), TypeError, "int64"),
    "booleans": (lambda: with_X(np.ones((5, 4), dtype=bool)), TypeError, "bool"),
    "complex": (lambda: with_X(np.ones((5, 4), dtype=complex)), TypeError, "complex"),
    "objects": (lambda: with_X(np.full((5, 4), 0.5, dtype=object)), TypeError, "object"),
    "sparse": (lambda: with_X(sparse.csr_matrix(plain().X)), TypeError, "sparse"),
    "no samples": (lambda: plain(0, 4), ValueError, "empty"),
    "no genes": (lambda: plain(4, 0), ValueError, "empty"),
    "no X": (lambda: ad.AnnData(obs=plain().obs), ValueError, "empty"),
    "all missing": (lambda: with_X(np.full((5, 4), np.nan)), ValueError, "no observed value"),
}

BAD_ARGUMENTS = {
    "K of 0": ({"n_components": 0}, ValueError, "n_components"),
    "negative K": ({"n_components": -2}, ValueError, "n_components"),
    "K not whole": ({"n_components": 2.5}, TypeError, "whole number"),
    "K a bool": ({"n_components": True}, TypeError, "whole number"),
    "shape of 0": ({"shape": 0.0}, ValueError, "shape"),
    "negative shape": ({"shape": (0.5, -1)}, ValueError, "shape"),
    "three shapes": ({"shape": (1, 1, 1)}, ValueError, "shape"),
    "infinite shape": ({"shape": np.inf}, ValueError, "shape"),
    "shape a word": ({"shape": "wide"}, (TypeError, ValueError), "auto"),
    "prior of 0": ({"prior": (0.1, 0, 0.1, 0.1)}, ValueError, "prior"),
    "two priors": ({"prior": (0.1, 0.1)}, ValueError, "prior"),
    "no draws": ({"n_draws": 0}, ValueError, "n_draws"),
    "thin of 0": ({"thin": 0}, ValueError, "thin"),
    "negative burn-in": ({"n_burnin": -1}, ValueError, "n_burnin"),
    "no chains": ({"n_chains": 0}, ValueError, "n_chains"),
    "no jobs": ({"n_jobs": 0}, ValueError, "n_jobs"),
    "jobs of −2": ({"n_jobs": -2}, ValueError, "n_jobs"),
    "key with a slash": ({"key_added": "a/b"}, ValueError, "key_added"),
    "empty key": ({"key_added": ""}, ValueError, "key_added"),
    "unknown layer": ({"layer": "nope"}, ValueError, "nope"),
    "unknown mask": ({"mask": "nope"}, ValueError, "nope"),
    "mask not boolean": ({"mask": "numbers"}, TypeError, "boolean"),
    "mask an array": ({"mask": np.zeros((12, 20), dtype=bool)}, TypeError, "string"),
    "mask of everything": ({"mask": "everything"}, ValueError, "no observed value"),
    "unknown genes": ({"mask_var": "nope"}, ValueError, "nope"),
    "genes of another length": ({"mask_var": np.ones(3, dtype=bool)}, ValueError, "mask_var"),
    "no genes": ({"mask_var": np.zeros(20, dtype=bool)}, ValueError, "no genes"),
    "unknown init": ({"init": "magic"}, ValueError, "init"),
    "init of a wrong shape": ({"init": (np.ones((12, 2)), np.ones((12, 3)), np.ones((20, 3)))}, ValueError, "theta1"),
    "negative init": ({"init": (-np.ones((12, 3)), np.ones((12, 3)), np.ones((20, 3)))}, ValueError, "theta1"),
    "two arrays": ({"init": (np.ones((12, 3)), np.ones((12, 3)))}, TypeError, "init"),
    "rng a word": ({"rng": "seven"}, TypeError, "rng"),
    "rng below 0": ({"rng": -1}, TypeError, "rng"),
    "RandomState": ({"rng": np.random.RandomState(1)}, TypeError, "RandomState"),
}


class TestBadInput:
    @pytest.mark.parametrize("case", BAD_DATA)
    def test_data(self, case):
        make, error, words = BAD_DATA[case]
        adata = make()
        with pytest.raises(error, match=words):
            md.tl.dncb_mf(adata, **QUICK)
        assert not adata.obsm
        assert not adata.uns

    @pytest.mark.parametrize("case", BAD_ARGUMENTS)
    def test_arguments(self, case):
        arguments, error, words = BAD_ARGUMENTS[case]
        adata = plain()
        adata.layers["numbers"] = np.zeros(adata.shape)
        adata.layers["everything"] = np.ones(adata.shape, dtype=bool)
        with pytest.raises(error, match=words):
            md.tl.dncb_mf(adata, **(QUICK | arguments))
        assert not adata.obsm
        assert not adata.uns

    def test_backed_sparse_is_refused_too(self, tmp_path):
        with_X(sparse.csr_matrix(plain().X)).write_h5ad(tmp_path / "sparse.h5ad")
        with pytest.raises(TypeError, match="sparse"):
            md.tl.dncb_mf(ad.read_h5ad(tmp_path / "sparse.h5ad", backed="r"), **QUICK)


class TestTelling:
    def test_silent_unless_asked(self, capfd):
        fitted(plain(), progress=False)
        assert capfd.readouterr() == ("", "")

    def test_bar_shows_rate_and_log_likelihood(self, capsys):
        fitted(plain(), progress=True)
        err = capsys.readouterr().err
        assert "sweep/s" in err
        assert "log likelihood" in err
        assert "18/18" in err

    def test_log_names_the_keys(self, log):
        fitted(plain(), progress=False)
        assert "fitting DNCB-MF to 12 samples × 20 genes" in log.getvalue()
        assert "'X_dncb_mf'" in log.getvalue()


def test_recovers_planted_components():
    adata = md.datasets.simulate_groups(100, 240, rng=0)
    K = adata.varm["truth_phi"].shape[1]
    md.tl.dncb_mf(adata, K, n_burnin=200, n_draws=40, thin=5, rng=0)
    likeness = np.corrcoef(adata.varm["dncb_mf_phi"].T, adata.varm["truth_phi"].T)[:K, K:]
    assert np.median(likeness.max(axis=0)) > 0.85


def test_scanpy_takes_the_embedding():
    adata = md.datasets.simulate_groups(n_obs=40, n_vars=80, rng=0)
    md.tl.dncb_mf(adata, **QUICK)
    sc.pp.neighbors(adata, use_rep="X_dncb_mf", n_neighbors=5)
    assert adata.obsp["connectivities"].shape == (40, 40)

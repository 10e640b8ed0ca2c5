import sys

import pytest

from methyl_dncb import cli


@pytest.fixture
def run_command(monkeypatch, capsys):
    """Exit code, output and error of a command line."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["methyl-dncb", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        captured = capsys.readouterr()
        return caught.value.code or 0, captured.out, captured.err

    return run


@pytest.fixture(scope="session")
def beta_file(tmp_path_factory):
    """Simulated β with groups, in a file."""
    import methyl_dncb as md

    adata = md.datasets.simulate_groups(24, 60, rng=0, missing=0.05)
    adata.obs["age"] = range(24)
    adata.obs["site: year"] = ["a", "b"] * 12
    path = tmp_path_factory.mktemp("beta") / "beta.h5ad"
    adata.write_h5ad(path)
    return path


@pytest.fixture(scope="session")
def fitted_file(beta_file, tmp_path_factory):
    """The same with a fit and its draws."""
    import anndata as ad

    import methyl_dncb as md

    adata = ad.read_h5ad(beta_file)
    md.pp.hold_out(adata, rng=0)
    schedule = {"n_burnin": 20, "n_draws": 10, "thin": 2, "n_chains": 2}
    md.tl.dncb_mf(adata, 4, **schedule, mask="held_out", rng=0, keep_draws=True, n_jobs=1)
    path = tmp_path_factory.mktemp("fitted") / "fitted.h5ad"
    adata.write_h5ad(path)
    return path

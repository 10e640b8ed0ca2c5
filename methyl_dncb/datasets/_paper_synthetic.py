from __future__ import annotations

from pathlib import Path
from typing import Literal

import anndata as ad
import numpy as np
import pandas as pd

from .._keys import METHYLATED, UNMETHYLATED
from ._from_factors import sample_names

BASE_URL = (
    "https://raw.githubusercontent.com/aschein/dncb-mf/8691d2f82417b38599739ea5f420e9a865ae7e6a"
    "/src/dat/methylation/synth"
)

# The authors' names of their files, by the paper's words, with SHA-256.
FILES = {
    "low": (
        "10clones_notdispersed_seed_0.npz",
        "bf56ad07afa33256b80f6190dbff91440707bebb49a9fe35c590364538f0f54f",
    ),
    "medium": (
        "10clones_somewhatdispersed_seed_0.npz",
        "26cb0b0f0f9c2ed9af06502b942ba00e969e38a57a3ce4981cc82a0e3bad9528",
    ),
    "high": (
        "10clones_verydispersed_seed_0.npz",
        "6a9b10b28a9977d651fb03463aaefcab2e790a1968b9a4c4ba7b4c86de962fec",
    ),
}


def paper_synthetic(
    dispersion: Literal["low", "medium", "high"],
    *,
    cache: Path | str | None = None,
    base_url: str = BASE_URL,
    progress: bool = False,
) -> ad.AnnData:
    """Fetch a synthetic dataset of the paper from the authors' repository.

    The file is fetched once, checked against its SHA-256, and kept. Of the authors' replicates, the first
    of each dispersion is offered. Needs pooch: `pip install "methyl-dncb[datasets]"`.

    Parameters
    ----------
    dispersion
        Which of the paper's three settings.
    cache
        Folder to keep the file in; by default the user's cache folder for methyl_dncb.
    base_url
        Where to fetch from: the authors' repository at a fixed commit, or a mirror of that folder.
    progress
        Whether to show a progress bar.

    Returns
    -------
    AnnData
        100 samples × 500 loci: β = (methylated + 0.1)/(cells + 0.2) in `X`, the counts in
        `layers["methylated"]` and `layers["unmethylated"]`, the generator's settings in
        `uns["paper_synthetic"]`.

    See Also
    --------
    epiclomal : the generator of such data.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.paper_synthetic("medium")  # doctest: +SKIP
    """
    if not isinstance(dispersion, str) or dispersion not in FILES:
        raise ValueError(f"dispersion is {dispersion!r}; give one of {', '.join(FILES)}.")
    try:
        import pooch
    except ImportError as error:
        raise ImportError('Fetching data needs pooch; install it with pip install "methyl-dncb[datasets]".') from error
    name, sha256 = FILES[dispersion]
    folder = pooch.os_cache("methyl_dncb") if cache is None else Path(cache)
    try:
        path = pooch.retrieve(
            f"{base_url}/{name}", known_hash=f"sha256:{sha256}", fname=name, path=folder, progressbar=progress
        )
    except OSError as error:  # those of requests and urllib are among them
        raise OSError(
            f"{base_url}/{name} cannot be fetched ({error}); fetch it by other means and put it into {folder}"
        ) from error
    with np.load(path, allow_pickle=False) as file:
        methylated, unmethylated = file["methylated_counts"], file["unmethylated_counts"]
        settings = str(file["params"])
    n_obs, n_vars = methylated.shape
    return ad.AnnData(
        ((methylated + 0.1) / (methylated + unmethylated + 0.2)).astype(np.float32),
        obs=pd.DataFrame(index=sample_names(n_obs)),
        var=pd.DataFrame(index=[f"locus_{j:03d}" for j in range(n_vars)]),
        layers={METHYLATED: methylated.astype(np.int64), UNMETHYLATED: unmethylated.astype(np.int64)},
        uns={"paper_synthetic": {"dispersion": dispersion, "settings": settings}},
    )

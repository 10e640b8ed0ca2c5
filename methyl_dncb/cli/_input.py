"""The one way in which commands read an AnnData."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from anndata import AnnData


def read_adata(path: Path) -> AnnData:
    """Read an .h5ad file; HDF5's own errors do not say which file it was, and may be of any kind."""
    import anndata as ad

    try:
        return ad.read_h5ad(path)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as .h5ad ({error}); is it complete, and of this kind?") from error

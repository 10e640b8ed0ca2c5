"""Matrices of β that arrays and their repositories give."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from anndata import AnnData

from .. import _keys as keys
from ._beta_table import orient, read_parquet, read_table
from ._bytes import read_head
from ._errors import FormatError
from ._gdc import read_gdc_folder
from ._series_matrix import is_series_matrix, read_series_matrix

if TYPE_CHECKING:
    from os import PathLike

PICKLE_SUFFIXES = {".pkl", ".pickle", ".p"}
PARQUET_MAGIC = b"PAR1"


def read_betas(
    path: str | PathLike[str],
    *,
    sep: str | None = None,
    samples: Literal["auto", "rows", "columns"] = "auto",
    values: Literal["beta", "m"] = "beta",
) -> AnnData:
    r"""Read a matrix of β values of arrays.

    Parameters
    ----------
    path
        One of: a table (CSV, TSV, parquet), plain or gzipped; a GEO series-matrix file, whose sample
        annotations go to `obs`; a folder of level-3 beta files of the GDC with its sample sheet, whose
        columns go to `obs`.
    sep
        Separator of a table; None finds out.
    samples
        Whether samples are the rows or the columns of a table; `"auto"` looks for probe ids such as
        cg00000029 on one side.
    values
        What the file holds: β, or M values, which are turned into β.

    Returns
    -------
    AnnData, samples × probes; `X` float32, NaN where missing; `uns["calls"]`: file and format.

    Raises
    ------
    FormatError
        The file cannot be trusted; the message names file and, where there is one, line. Pickled matrices,
        as methylprep writes them, are refused: unpickling runs whatever code a file holds.

    Examples
    --------
    >>> import methyl_dncb as md, pathlib, tempfile
    >>> table = pathlib.Path(tempfile.mkdtemp()) / "betas.csv"
    >>> _ = table.write_text("probe,liver,lung\ncg00000029,0.41,0.52\ncg00000108,0.93,\n")
    >>> adata = md.io.read_betas(table)
    >>> adata.obs_names.tolist(), adata.X
    (['liver', 'lung'], array([[0.41, 0.93],
           [0.52,  nan]], dtype=float32))
    """
    path = Path(path)
    if samples not in ("auto", "rows", "columns"):
        raise ValueError(f"samples={samples!r} is none of 'auto', 'rows', 'columns'")
    if values not in ("beta", "m"):
        raise ValueError(f"values={values!r} is neither 'beta' nor 'm'")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    matrix, obs, kind = _read(path, sep, samples)
    array = _to_beta(matrix, path, values)
    for what, names in (("sample", matrix.index), ("probe", matrix.columns)):
        if names.has_duplicates:
            raise FormatError(f"has two {what}s called {names[names.duplicated()][0]!r}", path)
    adata = AnnData(array, obs=obs, var=pd.DataFrame(index=matrix.columns.astype(str)))
    adata.uns[keys.CALLS] = {"file": str(path), "format": kind}
    return adata


def _read(path: Path, sep: str | None, samples: str) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Samples × probes, what is known of the samples, and the kind of file."""
    if path.is_dir():
        return *read_gdc_folder(path), "gdc"
    head = read_head(path, size=1 << 14)
    _refuse_pickle(path, head)
    if not head:
        raise FormatError("is empty", path)
    if is_series_matrix(head):
        return *read_series_matrix(path), "geo_series_matrix"
    is_parquet = head.startswith(PARQUET_MAGIC)
    table = read_parquet(path) if is_parquet else read_table(path, sep)
    matrix = orient(table, samples, path)
    return matrix, pd.DataFrame(index=matrix.index.astype(str)), "parquet" if is_parquet else "table"


def _refuse_pickle(path: Path, head: bytes) -> None:
    # Protocols 2 to 5 begin with this opcode and their number.
    if (head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05") or path.suffix in PICKLE_SUFFIXES:
        raise FormatError(
            "is a pickle, and unpickling a file runs whatever code it holds; where it was written, "
            "pandas.read_pickle(file).to_parquet('betas.parquet') makes a file that can be read here",
            path,
        )


def _to_beta(matrix: pd.DataFrame, path: Path, values: str) -> np.ndarray:
    array = matrix.to_numpy(dtype=np.float64)
    if values == "m":
        array = 1 / (1 + np.exp2(-array))
    outside = ~np.isnan(array) & ~((array >= 0) & (array <= 1))
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise FormatError(
            f"holds {outside.sum()} values outside [0, 1] (the first: {array[row, column]:g}, sample "
            f"{matrix.index[row]!r}, probe {matrix.columns[column]!r}); M values need values='m'",
            path,
        )
    return array.astype(np.float32)

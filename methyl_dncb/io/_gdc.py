"""A folder of level-3 beta files as the GDC's client downloads them, with its sample sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ._beta_table import PROBE, parse_table, read_text
from ._bytes import read_head
from ._errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME, SAMPLE_ID = "File Name", "Sample ID"


def read_gdc_folder(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Samples × probes, and the sheet's columns."""
    sheets = [path for path in sorted(folder.rglob("*.tsv")) if _is_sheet(path)]
    if len(sheets) != 1:
        raise FormatError(
            f"holds {len(sheets)} GDC sample sheets (a .tsv with {FILE_NAME!r} and {SAMPLE_ID!r}); one is needed",
            folder,
        )
    try:
        sheet = pd.read_csv(sheets[0], sep="\t", dtype=str)
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read as a sample sheet: {error}", sheets[0]) from error
    if sheet[SAMPLE_ID].isna().any():
        raise FormatError(f"{SAMPLE_ID} is blank", sheets[0], int(sheet[SAMPLE_ID].isna().to_numpy().argmax()) + 2)
    by_name = {path.name: path for path in folder.rglob("*") if path.is_file()}
    is_beta = [_is_beta_file(by_name.get(name)) for name in sheet[FILE_NAME]]
    absent = [name for name in sheet[FILE_NAME] if name not in by_name]
    if absent:
        raise FormatError(f"lists {absent[0]!r}, which is not in {folder} ({len(absent)} files missing)", sheets[0])
    sheet = sheet[is_beta]
    if sheet.empty:
        raise FormatError("lists no files of two columns, probe and β", sheets[0])
    twice = sheet[SAMPLE_ID].duplicated()
    if twice.any():
        raise FormatError(f"has two files of sample {sheet.loc[twice, SAMPLE_ID].iloc[0]!r}; leave one out", sheets[0])
    columns = {
        sample: _read_betas(by_name[name]) for sample, name in zip(sheet[SAMPLE_ID], sheet[FILE_NAME], strict=True)
    }
    obs = sheet.set_index(SAMPLE_ID, drop=False).rename_axis(None)
    return pd.DataFrame(columns).T, obs


def _is_sheet(path: Path) -> bool:
    first = read_head(path, size=4096).split(b"\n", 1)[0].decode(errors="replace").rstrip("\r").split("\t")
    return FILE_NAME in first and SAMPLE_ID in first


def _is_beta_file(path: Path | None) -> bool:
    """Two columns, the first a probe: sheets may list other files too."""
    if path is None:
        return False
    head = read_head(path, size=4096)
    if not head:
        raise FormatError("is empty; download it again, or take it off the sample sheet", path)
    fields = head.split(b"\n", 1)[0].decode(errors="replace").split("\t")
    return len(fields) == 2 and PROBE.fullmatch(fields[0]) is not None


def _read_betas(path: Path) -> pd.Series:
    """One sample; the files have no header."""
    table = parse_table("probe\tbeta\n" + read_text(path), "\t", path, first_line=0)
    if table.index.has_duplicates:
        raise FormatError(f"has two rows of probe {table.index[table.index.duplicated()][0]!r}", path)
    return table["beta"]

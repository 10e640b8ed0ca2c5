"""Which files belong to which sample: from a list, a glob, a dict or a sample sheet."""

from __future__ import annotations

import glob
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import pandas as pd

from ._bytes import read_head
from ._errors import FormatError
from ._nfcore import find_calls

Source = str | PathLike[str]
PATH = (str, PathLike)
#: What pipelines append to a sample's name, from the right.
SUFFIX = re.compile(
    r"(\.(gz|bgz|bgzf|txt|tsv|bed|bedgraph|bedmethyl|cov|bam|sam|allc|cgmap|bismark|cx_report|cpg_report"
    r"|cytosine_?report|merged_cpg_evidence|deduplicated|markdup|sorted|mycpg)"
    r"|_(cpg|bismark(_bt2)?(_[ps]e)?|[12]_val_[12]|val_[12]|trimmed))$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample's name and its files, whose counts add up."""

    name: str
    files: tuple[Path, ...]


def resolve_samples(
    files: Source | Iterable[Source] | Mapping[str, Source | Iterable[Source]],
    *,
    sample_names: Sequence[str] | None = None,
    context: str = "CG",
) -> tuple[list[Sample], pd.DataFrame]:
    """Samples in order, and what a sample sheet says about them."""
    sheet = None
    if isinstance(files, Mapping):
        samples = [Sample(str(name), tuple(_as_paths(value))) for name, value in files.items()]
    elif isinstance(files, PATH) and (table := _read_sheet(Path(files))) is not None:
        samples, sheet = _from_sheet(table, Path(files), context)
    else:
        paths = [path for item in _as_paths(files) for path in _expand(item)]
        names = [sample_name(path) for path in paths] if sample_names is None else list(map(str, sample_names))
        if len(names) != len(paths):
            raise ValueError(f"sample_names has {len(names)} names for {len(paths)} files; give one for each")
        samples, sample_names = [Sample(n, (p,)) for n, p in zip(names, paths, strict=True)], None
    if sample_names is not None:
        raise ValueError("sample_names goes with a list or a glob; a dict or a sample sheet names the samples itself")
    _check(samples, "list or glob" if sheet is None else f"sample sheet {files}")
    if sheet is None:
        sheet = pd.DataFrame(index=[sample.name for sample in samples])
    return samples, sheet


def sample_name(path: Path) -> str:
    """A file's name without what pipelines append.

    Examples
    --------
    >>> sample_name(Path("tumour_3_1_val_1_bismark_bt2_pe.deduplicated.bismark.cov.gz"))
    'tumour_3'
    """
    name = path.name
    while (shorter := SUFFIX.sub("", name)) not in (name, ""):
        name = shorter
    return name


def _as_paths(files: Source | Iterable[Source]) -> list[Path]:
    if isinstance(files, PATH):
        return [Path(files)]
    paths = list(files)
    wrong = next((item for item in paths if not isinstance(item, PATH)), None)
    if wrong is not None:
        raise TypeError(f"files holds {wrong!r}, which is no path; give a list, a glob, a dict or a sample sheet")
    return [Path(item) for item in paths]


def _expand(path: Path) -> list[Path]:
    """The file itself, or the files that a pattern matches, in order of name."""
    if path.exists() or not glob.has_magic(str(path)):
        return [path]
    found = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 (patterns may be absolute)
    if not found:
        raise FileNotFoundError(f"{path}: the pattern matches no file")
    return [Path(item) for item in found]


def _check(samples: list[Sample], source: str) -> None:
    if not samples or not all(sample.files for sample in samples):
        raise ValueError("files is empty; give at least one file for each sample")
    twice = [name for name, n in Counter(sample.name for sample in samples).items() if n > 1]
    if twice:
        raise ValueError(
            f"two samples are called {twice[0]!r}; name them with sample_names= or a dict, or, where the "
            "files are of one sample, give a dict or a sample sheet that lists them under one name"
        )
    for path in (path for sample in samples for path in sample.files):
        if path.is_dir():
            raise IsADirectoryError(f"{path}: is a folder; give the files in it, by a glob such as {path / '*.cov.gz'}")
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no such file; check the {source}")
    counts = Counter(path.resolve() for sample in samples for path in sample.files)
    repeated = [path for path, n in counts.items() if n > 1]
    if repeated:
        raise ValueError(f"{repeated[0]}: given twice, so that its reads would count twice")


def _read_sheet(path: Path) -> pd.DataFrame | None:
    """The table of a sample sheet, or None for any other file."""
    if not path.is_file():
        return None
    first = read_head(path, size=4096).decode(errors="replace").lstrip("\ufeff").split("\n", 1)[0]
    separator = next((mark for mark in "\t;" if mark in first), ",")
    columns = [name.strip().strip('"') for name in first.split(separator)]
    if "sample" not in columns:
        return None
    if not {"file", "fastq_1"} & set(columns):
        raise FormatError(
            f"is a sample sheet without files (columns {', '.join(columns)}); call the column of files 'file'", path, 1
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a line with more fields than the header
            sheet = pd.read_csv(
                path, sep=separator, dtype=str, skipinitialspace=True, index_col=False, skip_blank_lines=False
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read as a sample sheet: {error}", path) from error
    sheet.columns = sheet.columns.str.strip()
    sheet = sheet.apply(lambda column: column.str.strip()).dropna(how="all")
    if "_index" in sheet:
        raise FormatError("has a column '_index', which AnnData keeps for itself; call it otherwise", path, 1)
    gaps = sheet["sample"].isna() | (sheet["file"].isna() if "file" in sheet else False)
    if gaps.any():
        raise FormatError("sample or file is blank", path, int(gaps.idxmax()) + 2)
    if sheet.empty:
        raise FormatError("is a sample sheet without samples", path)
    return sheet


def _from_sheet(sheet: pd.DataFrame, path: Path, context: str) -> tuple[list[Sample], pd.DataFrame]:
    """Samples of a sheet; paths in it are relative to the sheet, as a moved project needs."""
    names = list(dict.fromkeys(sheet["sample"]))
    if "file" in sheet:
        rows = sheet.groupby("sample", sort=False)["file"]
        files = {name: tuple(path.parent / item for item in group) for name, group in rows}
    else:
        files = find_calls(path, names, context)
    extra = sheet.drop(columns=["file", "fastq_1", "fastq_2"], errors="ignore")
    varying = extra.groupby("sample", sort=False).nunique(dropna=False).gt(1)
    if varying.to_numpy().any():
        name, column = varying.stack().idxmax()
        raise FormatError(f"sample {name!r} has more than one value of {column!r}", path)
    obs = extra.drop_duplicates("sample").set_index("sample").rename_axis(None).apply(_numbers_or_text)
    return [Sample(name, files[name]) for name in names], obs


def _numbers_or_text(column: pd.Series) -> pd.Series:
    """A column of a sheet as numbers where all its values are, else as text; both can be written to a file."""
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers if numbers.notna().equals(column.notna()) else column

"""Files that appear under their final name complete or not at all."""

from __future__ import annotations

import glob
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def check_output(path: Path, *, suffix: str = "", inputs: Iterable[str] = ()) -> None:
    """Refuse a place that cannot be written to, before hours of work rather than after; and the inputs' own."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder for the output; make it first")
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; name a file for the output")
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is no ordinary file, so it is not replaced; name another for the output")
    found = (Path(name) for pattern in inputs for name in glob.glob(pattern, recursive=True))  # noqa: PTH207
    if path.exists() and any(path.samefile(other) for other in found if other.exists()):
        raise ValueError(f"{path}: is an input; name another file for the output")
    if not path.name.endswith(suffix):
        raise ValueError(f"{path}: the output is an AnnData; give it a name that ends in {suffix}")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{folder}: cannot be written to")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A name in the same folder to write to; renamed at the end, removed on any failure."""
    path = path.resolve()  # of a link, the file that it points to is replaced
    # The suffix stays, since writers look at it.
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=path.suffix, dir=path.absolute().parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp's own mode would keep the file from the group
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)

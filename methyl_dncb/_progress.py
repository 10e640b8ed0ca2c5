"""One progress bar, in terminals and notebooks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm


def progress_bar(total: int, description: str, *, unit: str, progress: bool | None) -> tqdm:
    """A bar of `total` steps; with `progress=None` it shows where a person is looking."""
    from tqdm.auto import tqdm

    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    return tqdm(total=total, desc=description, unit=unit, disable=not progress, dynamic_ncols=True)

"""The colours of all plots: safe for colour-blind readers, and the same meaning everywhere."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData

# Okabe and Ito's palette, without black and yellow, which are lost on white or against text.
GROUPS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
# Blue is unmethylated and red is methylated, for β as for ρ; told apart with any kind of colour blindness.
METHYLATION = "RdBu_r"
MISSING = "#BDBDBD"  # no value measured, or no label
INK = "#333333"
UNLABELLED = "unlabelled"


def group_colors(adata: AnnData, column: str, labels: Sequence[str], *, start: int = 0) -> dict[str, str]:
    """A colour for every label: scanpy's `uns["…_colors"]` where it fits, else the palette from number `start`."""
    stored = adata.uns.get(f"{column}_colors")
    values = adata.obs[column]
    if stored is not None and hasattr(values, "cat") and len(stored) >= len(values.cat.categories):
        colors = dict(zip(map(str, values.cat.categories), map(str, stored), strict=False))
    else:
        colors = dict(zip(labels, islice(cycle(GROUPS), start, None), strict=False))
    colors[UNLABELLED] = MISSING
    return {label: colors[label] for label in labels}

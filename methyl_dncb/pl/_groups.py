"""Samples sorted by columns of `obs`, and the coloured, labelled strips that say so beside a heatmap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from ._figure import POINTS, SMALLEST, TICK_SIZE
from ._order import leaf_order
from ._palette import INK, UNLABELLED, group_colors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.transforms import Transform

_MOST_GROUPS: Final = 100
SPACING: Final = 1.2  # of lines of text, in font sizes
_STRIP, _GAP = 0.07, 0.04  # inches


@dataclass(frozen=True, slots=True)
class Strip:
    """One column of `obs` along the sorted samples: runs of equal labels."""

    column: str
    runs: list[tuple[str, int, int]]  # label, first row, row after the last
    colors: dict[str, str]


def group_labels(adata: AnnData, column: str) -> pd.Categorical:
    """A column of `obs` as strings in their own order, those without a label last."""
    if column not in adata.obs:
        known = ", ".join(map(repr, adata.obs.columns)) or "none"
        raise ValueError(f"groupby names adata.obs[{column!r}], which is not there; the columns are: {known}")
    values = adata.obs[column]
    categories = values.cat.remove_unused_categories().cat.categories if hasattr(values, "cat") else None
    if categories is None:
        categories = pd.Index(values.dropna().unique()).sort_values()
    if len(categories) > _MOST_GROUPS:
        raise ValueError(
            f"adata.obs[{column!r}] has {len(categories)} different values; at most {_MOST_GROUPS} groups can be "
            "told apart. Cut a continuous column into ranges first (pandas.cut)"
        )
    codes = categories.get_indexer(values)
    names = [str(category) for category in categories]
    if (codes == -1).any():
        names.append(UNLABELLED)
        codes = np.where(codes == -1, len(names) - 1, codes)
    return pd.Categorical.from_codes(codes, names)


def sort_samples(
    adata: AnnData, groupby: str | Sequence[str] | None, values: np.ndarray | None
) -> tuple[np.ndarray, list[Strip]]:
    """The samples sorted by group, by clustering of `values` within groups if given, and the strips to draw."""
    columns = [] if groupby is None else [groupby] if isinstance(groupby, str) else list(groupby)
    labels = [group_labels(adata, column) for column in columns]
    order = np.lexsort([label.codes for label in reversed(labels)]) if labels else np.arange(adata.n_obs)
    changes = np.zeros(adata.n_obs, dtype=bool)
    changes[0] = True
    strips = []
    for column, label in zip(columns, labels, strict=True):
        codes = label.codes[order]
        changes[1:] |= codes[1:] != codes[:-1]  # an inner group ends where its outer one does
        starts = np.flatnonzero(changes)
        ends = np.append(starts[1:], adata.n_obs)
        runs = [(str(label.categories[codes[a]]), int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
        # Another column goes on in the palette: its labels are not those of the first.
        n_used = sum(len(strip.colors) for strip in strips)
        strips.append(Strip(column, runs, group_colors(adata, column, list(label.categories), start=n_used)))
    if values is not None:
        cuts = np.append(np.flatnonzero(changes), adata.n_obs)
        pieces = [order[a:b] for a, b in pairwise(cuts)]
        order = np.concatenate([piece[leaf_order(values[piece])] for piece in pieces])
    return order, strips


def draw_strips(ax: Axes, strips: list[Strip]) -> None:
    """Draw the strips left of a heatmap, the innermost next to it, and lines between groups across it.

    Horizontal places are inches left of the axes, so that they hold whatever the layout does.
    """
    from matplotlib.patches import Rectangle
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    figure = ax.figure
    inches_left = figure.dpi_scale_trans + ScaledTranslation(0, 0, ax.transAxes)
    beside = blended_transform_factory(inches_left, ax.transData)
    above = blended_transform_factory(inches_left, ax.transAxes)
    edge = -_GAP
    for depth, strip in reversed(list(enumerate(strips))):
        for label, start, end in strip.runs:
            color = strip.colors[label]
            place = (edge - _STRIP, start - 0.5)
            ax.add_patch(
                Rectangle(place, _STRIP, end - start, facecolor=color, transform=beside, clip_on=False, linewidth=0)
            )
            if start:
                ax.axhline(start - 0.5, color=INK, linewidth=0.9 if depth == 0 else 0.4)
        edge -= _STRIP + _GAP
        texts = _label(ax, strip, edge, beside)
        header = ax.text(
            edge, 1.01, strip.column, transform=above, ha="right", fontsize=TICK_SIZE, color=INK, weight="bold"
        )
        widest = max(text.get_window_extent().width for text in [*texts, header]) / figure.dpi
        edge -= widest + 2 * _GAP


def _label(ax: Axes, strip: Strip, edge: float, transform: Transform) -> list[Text]:
    """Write the labels of a strip so that none overlap; where not all fit, the smallest groups go without."""
    low, high = -0.5, strip.runs[-1][2] - 0.5
    points = ax.get_window_extent().height / ax.figure.dpi * POINTS
    most = max(int(points / (SPACING * SMALLEST)), 1)
    by_size = sorted(strip.runs, key=lambda run: run[1] - run[2])[:most]
    runs = sorted(by_size, key=lambda run: run[1])
    size = float(np.clip(points / (SPACING * len(runs)), SMALLEST, TICK_SIZE))
    centres = np.array([(start + end - 1) / 2 for _, start, end in runs])
    places = spread(centres, SPACING * size * (high - low) / points, low, high)
    return [
        ax.text(edge, y, label, transform=transform, ha="right", va="center", fontsize=size, color=INK)
        for y, (label, _, _) in zip(places, runs, strict=True)
    ]


def spread(places: np.ndarray, gap: float, low: float, high: float) -> np.ndarray:
    """Sorted places moved apart to at least `gap`, staying within [low, high], which must have the room."""
    steps = np.arange(len(places)) * gap
    pushed_up = np.maximum.accumulate(np.maximum(places, low) - steps) + steps
    back = pushed_up + steps[::-1]
    return np.minimum.accumulate(np.minimum(back, high)[::-1])[::-1] - steps[::-1]

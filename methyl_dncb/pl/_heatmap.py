"""The heatmap that data and embedding share: samples in rows, sorted and annotated; blue to red around 0.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ._figure import LABEL_SIZE, ONE_COLUMN, TICK_SIZE, TWO_COLUMNS, axes_or_new, label_columns, small_text
from ._groups import draw_strips
from ._palette import METHYLATION, MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ._groups import Strip

# Cells along an axis: fewer would be smeared when the other axis is scaled down, more cost time and show nothing.
FEWEST_CELLS: Final = 1000
MOST_CELLS: Final = 2000


def draw_heatmap(
    values: np.ndarray,
    names: Sequence[str] | None,
    strips: list[Strip],
    *,
    label: str,
    xlabel: str,
    ax: Axes | None,
    cmap: str | None,
) -> Axes:
    """Draw `values`, from 0 to 1 and already sorted, with a colour bar, names of columns and strips of groups."""
    from matplotlib import colormaps

    n_rows, n_columns = values.shape
    if ax is None:
        most_runs = max((len(strip.runs) for strip in strips), default=0)
        room_for_names = 0.06 * max(map(len, names)) if names else 0.0
        height = float(np.clip(0.11 * most_runs, 2.2, 7.0)) + 0.6 + room_for_names
        width = float(np.clip(1.2 + 0.1 * len(names), ONE_COLUMN, TWO_COLUMNS)) if names else ONE_COLUMN
        ax = axes_or_new(None, width=width, height=height)
    figure = ax.figure
    image = ax.imshow(
        cells_to_draw(cells_to_draw(values).T).T,
        cmap=colormaps[cmap or METHYLATION].with_extremes(bad=MISSING),
        vmin=0,
        vmax=1,
        aspect="auto",
        extent=(-0.5, n_columns - 0.5, n_rows - 0.5, -0.5),
    )
    shrink = min(0.6, 1.2 / (ax.get_window_extent().height / figure.dpi))
    bar = figure.colorbar(image, ax=ax, ticks=[0, 0.5, 1], shrink=shrink, aspect=12, pad=0.02, anchor=(0, 1))
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=TICK_SIZE, width=0.6, length=2)
    bar.ax.set_title(label, fontsize=LABEL_SIZE, loc="left")
    ax.set(xticks=[], yticks=[], xlabel=xlabel, ylabel="" if strips else f"{n_rows:,} samples")
    ax.spines[:].set_visible(False)
    small_text(ax)
    if names:
        label_columns(ax, names)
    figure.draw_without_rendering()  # settles the height, which the strips' labels must fit
    draw_strips(ax, strips)
    if names:
        figure.draw_without_rendering()  # settles the width that the strips have left
        label_columns(ax, names)
    return ax


def cells_to_draw(values: np.ndarray) -> np.ndarray:
    """`values` with rows repeated where they are few, and averaged where they are more than can be seen."""
    n_rows = len(values)
    if n_rows <= MOST_CELLS:
        return np.repeat(values, -(-FEWEST_CELLS // n_rows), axis=0)
    starts = np.linspace(0, n_rows, MOST_CELLS, endpoint=False).astype(int)
    observed = ~np.isnan(values)
    counts = np.add.reduceat(observed, starts, axis=0, dtype=np.float64)
    sums = np.add.reduceat(np.where(observed, values, 0), starts, axis=0)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)

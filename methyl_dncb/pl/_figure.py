"""How every plot begins and ends: a figure one column wide, and scanpy's `show` and `return_fig`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ONE_COLUMN = 3.3  # inches, as journals have it
TWO_COLUMNS = 6.9
# Points. The figures are as wide as a column, so their text does not follow the size that is set for screens.
TICK_SIZE, LABEL_SIZE = 7.0, 8.0
SMALLEST = 4.5  # smaller text is no text
POINTS = 72
LONGEST_NAME = 16  # characters of a gene's name


def axes_or_new(ax: Axes | None, *, width: float = ONE_COLUMN, height: float = 2.4) -> Axes:
    """The axes to draw on: the caller's, or those of a new figure."""
    return new_grid(1, width=width, height=height)[0] if ax is None else ax


def new_grid(n: int, *, n_columns: int = 1, width: float = ONE_COLUMN, height: float = 2.4) -> list[Axes]:
    """`n` axes of a new figure, row by row; `height` is that of one row."""
    from matplotlib import pyplot as plt

    n_columns = min(n, n_columns)
    n_rows = math.ceil(n / n_columns)
    figure = plt.figure(figsize=(width, height * n_rows), layout="constrained")
    return [figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n)]


def plain(ax: Axes) -> None:
    """Leave out what carries no data, and set text for a narrow figure."""
    ax.spines[["top", "right"]].set_visible(False)
    small_text(ax)


def small_text(ax: Axes) -> None:
    """Set the axes' labels, ticks and title for a narrow figure, whatever the user's style."""
    ax.grid(visible=False)  # scanpy's figure parameters switch it on
    ax.tick_params(labelsize=TICK_SIZE, width=0.6, length=2.5)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_fontsize(LABEL_SIZE)


def finish(axes: Axes | list[Axes], *, show: bool | None, return_fig: bool | None) -> Axes | list[Axes] | Figure | None:
    """Show the figure or hand it back, by scanpy's rules."""
    from matplotlib import pyplot as plt
    from scanpy import settings

    if return_fig:
        return (axes[0] if isinstance(axes, list) else axes).figure
    if settings.autoshow if show is None else show:
        plt.show()
        return None
    return axes


def label_columns(ax: Axes, names: Sequence[str]) -> None:
    """Name the columns 0, 1, … of a heatmap: upright where there is room, else turned, small, and at last thinned."""
    size = TICK_SIZE
    room = ax.get_window_extent().width / ax.figure.dpi * POINTS / len(names)
    turned = max(map(len, names)) * 0.65 * size > room
    if turned:
        size = min(size, max(SMALLEST, room / 1.1))
    step = math.ceil(1.05 * size / room) if turned else 1
    ticks = np.arange(0, len(names), step)
    ax.set_xticks(ticks, [names[tick] for tick in ticks], rotation=90 if turned else 0)
    ax.tick_params(axis="x", labelsize=size, length=0, pad=2)


def shorten(name: str, longest: int = LONGEST_NAME) -> str:
    """A long name without its middle: names of one kind tend to differ at their ends."""
    if len(name) <= longest:
        return name
    return f"{name[: longest // 2]}…{name[len(name) - (longest - 1) // 2 :]}"

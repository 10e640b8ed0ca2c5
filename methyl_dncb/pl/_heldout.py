from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ._figure import TICK_SIZE, axes_or_new, finish, plain
from ._palette import GROUPS

if TYPE_CHECKING:
    from anndata import AnnData
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = {"dncb_mf": "DNCB-MF", "bg_nmf": "BG-NMF", "nmf": "NMF"}
_MARKERS = "osD^vP"
_NEEDED = ["model", "n_components", "shape", "ppd", "log_ppd", "log_ppd_se"]


def heldout(
    data: AnnData | pd.DataFrame,
    *,
    key: str = "select_components",
    ax: Axes | None = None,
    show: bool | None = None,
    return_fig: bool | None = None,
) -> Axes | Figure | None:
    """Held-out predictive density against the number of components, a line for each model and shape.

    A point is the mean `PPD^(1/|M|)` over masks and starts; its bar is the 95% confidence interval of that mean,
    or, where there is one run only, of its own entries. Higher is better.

    Parameters
    ----------
    data
        An object on which `tl.select_components` was run, or its table; tables of several models can be joined
        by `pandas.concat`.
    key
        Where `tl.select_components` wrote, in `uns`.
    ax
        Axes to draw on, instead of a new figure.
    show
        Whether to show the figure; by default as scanpy's `settings.autoshow` has it.
    return_fig
        Whether to return the figure instead.

    Returns
    -------
    The Axes if `show=False`, the Figure if `return_fig=True`, else None.

    Examples
    --------
    >>> import methyl_dncb as md
    >>> adata = md.datasets.simulate_groups(40, 80, rng=0)
    >>> table = md.tl.select_components(adata, (2, 6), model="bg_nmf", n_masks=2, n_inits=1, n_jobs=1, rng=0)
    >>> ax = md.pl.heldout(table, show=False)
    >>> ax.get_xlabel()
    'number of components'
    """
    scores = summarise_ppd(_table(data, key))
    ax = axes_or_new(ax, height=2.3)
    lines = list(scores.groupby(["model", "shape"], sort=False, dropna=False))
    for number, ((model, shape), line) in enumerate(lines):
        line = line.sort_values("n_components")
        label = _NAMES.get(model, model) + ("" if np.isnan(shape) else f", ε = {shape:g}")
        # Lines are set apart a little, so that bars at the same K do not hide each other.
        places = line["n_components"].to_numpy() * (1 + 0.012 * (number - (len(lines) - 1) / 2))
        means = line["ppd"].to_numpy()
        bars = np.abs(line[["lower", "upper"]].to_numpy().T - means)
        style = {"color": GROUPS[number % len(GROUPS)], "marker": _MARKERS[number % len(_MARKERS)]}
        ax.errorbar(
            places, line["ppd"].to_numpy(), bars, label=label, linewidth=1, markersize=3.5, capsize=1.5, **style
        )
    counts = np.unique(scores["n_components"])
    ax.set(xlabel="number of components", ylabel="held-out PPD per entry")
    ax.set_xticks(_apart(counts), minor=False)
    ax.legend(
        frameon=False,
        fontsize=TICK_SIZE,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0,
        handlelength=2,
        ncols=2,
    )
    plain(ax)
    return finish(ax, show=show, return_fig=return_fig)


def summarise_ppd(table: pd.DataFrame) -> pd.DataFrame:
    """Mean PPD of every setting with the ends of its 95% confidence interval."""
    from scipy.stats import t

    rows = []
    for (model, shape, count), runs in table.groupby(["model", "shape", "n_components"], sort=False, dropna=False):
        mean, n = runs["ppd"].mean(), len(runs)
        if n > 1:
            half = t.ppf(0.975, n - 1) * runs["ppd"].std(ddof=1) / np.sqrt(n)
            lower, upper = mean - half, mean + half
        else:
            lower, upper = np.exp(runs["log_ppd"].item() + np.array([-1.96, 1.96]) * runs["log_ppd_se"].item())
        rows.append((model, shape, count, mean, lower, upper))
    return pd.DataFrame(rows, columns=["model", "shape", "n_components", "ppd", "lower", "upper"])


def _table(data: AnnData | pd.DataFrame, key: str) -> pd.DataFrame:
    if not isinstance(data, pd.DataFrame):
        if key not in data.uns or "table" not in data.uns[key]:
            raise ValueError(f"there is no table in adata.uns[{key!r}]; call tl.select_components first")
        data = data.uns[key]["table"]
    absent = [name for name in _NEEDED if name not in data]
    if absent or data.empty:
        fact = f"lacks the columns {', '.join(absent)}" if absent else "is empty"
        raise ValueError(f"the table {fact}; pass what tl.select_components returns")
    return data


def _apart(counts: np.ndarray) -> list[int]:
    """The numbers to write on the axis: from the left, those with room to the one before."""
    least = (counts[-1] - counts[0]) / 18
    ticks: list[int] = []
    for count in counts:
        if not ticks or count - ticks[-1] >= least:
            ticks.append(int(count))
    return ticks

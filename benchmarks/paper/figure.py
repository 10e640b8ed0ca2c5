"""The study's plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from sizes import MODELS

mpl.use("agg")

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

COLOURS = dict(zip(MODELS, ("#1b6ca8", "#7fb7de", "#d9822b", "#8a8a8a"), strict=True))
MARKERS = dict(zip(MODELS, "osD^", strict=True))


def plot_synthetic(summary: pd.DataFrame, path: Path) -> None:
    """One panel per dispersion; PPD by number of components, with two standard errors."""
    import matplotlib.pyplot as plt

    dispersions = list(dict.fromkeys(summary["dispersion"]))
    figure, axes = plt.subplots(
        1, len(dispersions), figsize=(3.4 * len(dispersions), 3.4), squeeze=False, layout="constrained"
    )
    for axis, dispersion in zip(axes[0], dispersions, strict=True):
        for model in MODELS:
            part = summary[(summary["dispersion"] == dispersion) & (summary["model"] == model)]
            band = 2 * part["log_ppd_se"].fillna(0).to_numpy()
            ends = np.exp(part["log_ppd"].to_numpy() + np.array([-1, 1])[:, None] * band)
            error = np.abs(ends - part["ppd"].to_numpy())
            axis.errorbar(
                part["n_components"],
                part["ppd"],
                error,
                label=model,
                color=COLOURS[model],
                marker=MARKERS[model],
                markersize=4,
                capsize=2,
                linewidth=1.3,
            )
        axis.set(title=f"{dispersion} dispersion", xlabel="components", xticks=sorted(set(summary["n_components"])))
        axis.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_ylabel("held-out PPD$^{1/|M|}$")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(MODELS), frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)

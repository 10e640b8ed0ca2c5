"""Which setting to take: the simplest that is not clearly worse than the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def summarise_settings(table: pd.DataFrame) -> pd.DataFrame:
    """Mean log PPD of each setting over its runs, with its standard error, best first.

    With a single run, the standard error is the one over held-out entries.
    """
    by_setting = table.groupby(["model", "n_components", "shape"], dropna=False)["log_ppd"]
    summary = by_setting.agg(log_ppd="mean", n_runs="size").reset_index()
    spread = by_setting.std(ddof=1).to_numpy() / np.sqrt(summary["n_runs"])
    within_run = table.groupby(["model", "n_components", "shape"], dropna=False)["log_ppd_se"].mean().to_numpy()
    summary["log_ppd_se"] = np.where(summary["n_runs"] > 1, spread, within_run)
    return summary.sort_values("log_ppd", ascending=False, ignore_index=True)


def recommend(table: pd.DataFrame) -> dict[str, Any]:
    """The fewest components within one standard error of the best setting, with the reason in words."""
    summary = summarise_settings(table)
    best = summary.iloc[0]
    close = summary[summary["log_ppd"] >= best["log_ppd"] - best["log_ppd_se"]]
    # The table is sorted, and the sort is stable: of settings with equally many components, the better one.
    chosen = close.sort_values("n_components", kind="stable").iloc[0]
    return {
        "n_components": int(chosen["n_components"]),
        "shape": float(chosen["shape"]),
        "reason": _reason(chosen, best, len(summary)),
    }


def _reason(chosen: pd.Series, best: pd.Series, n_settings: int) -> str:
    if n_settings == 1:
        return (
            f"Nothing but {_words(best)} was tried (mean log PPD {best['log_ppd']:.4f}); give several to choose from."
        )
    runs = f"{int(best['n_runs'])} run{'s' if best['n_runs'] > 1 else ''} each of {n_settings} settings"
    spread = f"one standard error over {'runs' if best['n_runs'] > 1 else 'held-out entries'}"
    if chosen.name == best.name:
        return (
            f"With {_words(chosen)}, held-out values are predicted best (mean log PPD {best['log_ppd']:.4f}), and "
            f"nothing with fewer components comes within {spread} ({best['log_ppd_se']:.4f}) of it ({runs})."
        )
    return (
        f"With {_words(chosen)}, the mean log PPD of held-out values ({chosen['log_ppd']:.4f}) is within {spread} "
        f"({best['log_ppd_se']:.4f}) of the best ({_words(best)}: {best['log_ppd']:.4f}), and nothing with fewer "
        f"components comes as close ({runs})."
    )


def _words(setting: pd.Series) -> str:
    count = int(setting["n_components"])
    shape = "" if np.isnan(setting["shape"]) else f" and shape {setting['shape']:g}"
    return f"{count} component{'s' if count > 1 else ''}{shape}"

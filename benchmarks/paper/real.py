"""Real arrays: how well each model predicts held-out values, and how well its embedding tells labels apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anndata as ad
import numpy as np
import pandas as pd
from sizes import SHAPES, label

from methyl_dncb import tl

if TYPE_CHECKING:
    from pathlib import Path

    from sizes import Size

K = 14
FILES = {"CLL": ("cll_450k_beta.npz", "IGHV"), "brain tumours": ("methped_brain_450k.npz", "subtype")}


def study(size: Size, data: Path, output: Path, jobs: int) -> None:
    """Write `real_runs.csv` and `real_labels.csv`."""
    predictions, labels = [], []
    for name, (file, label_name) in FILES.items():
        with np.load(data / "real" / file, allow_pickle=False) as arrays:
            adata = ad.AnnData(arrays["X"], obs=pd.DataFrame({"label": arrays[label_name]}, index=arrays["obs_names"]))
        print(f"{name}: {adata.n_obs} samples × {adata.n_vars} probes", flush=True)
        predictions.append(_predict(adata, name, size, output, jobs))
        labels.append(_label_accuracy(adata, size.sampler, jobs).assign(data=name))
        pd.concat(predictions).to_csv(output / "real_runs.csv", index=False, float_format="%.5g")
        pd.concat(labels).to_csv(output / "real_labels.csv", index=False, float_format="%.4f")
    runs = pd.concat(predictions)
    summary = runs.groupby(["data", "model"], sort=False)["log_ppd"].agg(["mean", "sem", "size"])
    print(summary.assign(ppd=np.exp(summary["mean"])).round(4).to_string())
    print(pd.concat(labels).round(3).to_string(index=False))


def _predict(adata: ad.AnnData, name: str, size: Size, output: Path, jobs: int) -> pd.DataFrame:
    parts = []
    for model in ("dncb_mf", "bg_nmf", "nmf"):
        path = output / "runs" / f"{name.replace(' ', '_')}_{model}.csv"
        path.parent.mkdir(exist_ok=True)
        part = tl.select_components(
            adata,
            K,
            SHAPES,
            model=model,
            n_masks=size.n_masks,
            n_inits=size.n_inits,
            path=path,
            rng=0,
            n_jobs=jobs,
            **(size.sampler if model == "dncb_mf" else {}),
        )
        parts.append(part.assign(data=name, model=[label(model, shape) for shape in part["shape"]]))
    return pd.concat(parts, ignore_index=True)


def _label_accuracy(adata: ad.AnnData, sampler: dict, jobs: int) -> pd.DataFrame:
    """Accuracy of five nearest neighbours in each embedding, five-fold, with its error over ten shuffles."""
    from sklearn.decomposition import PCA
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    threads = None if jobs == -1 else jobs
    for shape in SHAPES:
        tl.dncb_mf(adata, K, shape=shape, rng=0, n_jobs=threads, key_added=label("dncb_mf", shape), **sampler)
    tl.bg_nmf(adata, K, rng=0, n_jobs=threads, key_added=label("bg_nmf", 0))
    tl.nmf(adata, K, rng=0, key_added=label("nmf", 0))
    embeddings = {key.removeprefix("X_"): adata.obsm[key] for key in adata.obsm if key.startswith("X_")}
    embeddings["PCA"] = PCA(K, random_state=0).fit_transform(adata.X)
    known = (adata.obs["label"] != "nan").to_numpy()
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0)
    rows = []
    for name, embedding in embeddings.items():
        accuracy = cross_val_score(
            KNeighborsClassifier(5), embedding[known], adata.obs["label"][known], cv=folds
        ).reshape(10, 5)
        rows.append((name, accuracy.mean(), accuracy.mean(axis=1).std(ddof=1), int(known.sum())))
    return pd.DataFrame(rows, columns=["embedding", "accuracy", "sd_over_shuffles", "n_samples"])

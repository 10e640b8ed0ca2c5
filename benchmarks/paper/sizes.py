"""How much of the paper's study to run."""

from __future__ import annotations

from dataclasses import dataclass, field

PAPER = {"n_burnin": 1000, "n_draws": 100, "thin": 20}
SHORT = {"n_burnin": 200, "n_draws": 100, "thin": 2}


@dataclass(frozen=True)
class Size:
    """Datasets of each dispersion, masks for each, starts for each, numbers of components, and the sampler's length."""

    n_datasets: int
    n_masks: int
    n_inits: int
    n_components: tuple[int, ...]
    sampler: dict[str, int] = field(default_factory=lambda: dict(PAPER))


SIZES = {
    "quick": Size(1, 1, 1, (4, 10, 20), SHORT),
    "short": Size(1, 3, 1, (4, 10, 20)),
    "hour": Size(3, 3, 1, (4, 10, 20)),
    "full": Size(3, 3, 3, (4, 8, 10, 14, 20, 30)),
}
SHAPES = (0.25, 0.75)


def label(model: str, shape: float) -> str:
    """A model's name in tables and plots."""
    return {"bg_nmf": "BG-NMF", "nmf": "NMF"}.get(model, f"DNCB-MF, ε = {shape:g}")


MODELS = [label("dncb_mf", 0.25), label("dncb_mf", 0.75), label("bg_nmf", 0), label("nmf", 0)]

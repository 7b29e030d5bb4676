"""The look of all figures, and how they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# these three differ for the colour-blind too
FEDERATED, LOCAL, NONE = "#0072b2", "#d55e00", "#5a5a5a"
LOOK: dict[str, Any] = {
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "fedps",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#ececec",
    "legend.frameon": False,
}


def subplots(rows: int, columns: int, size: tuple[float, float], **options: Any) -> Any:
    """Return a figure and its axes, in the look of all."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update(LOOK)  # type: ignore[arg-type]
    return plt.subplots(rows, columns, figsize=size, squeeze=False, **options)


def save(figure: Any, folder: Path, name: str) -> None:
    """Write a figure as SVG and PNG, the same bytes each time, and close it."""
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.png", dpi=110)
    plt.close(figure)

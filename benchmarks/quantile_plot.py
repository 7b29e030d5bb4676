"""``python -m benchmarks.quantile_plot docs/images``: the error of quantiles against their bytes.

Quartiles of continuous columns over 10 clients: exact, and by KLL and REQ sketches of several sizes.
Needs matplotlib (the extra ``plots``).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import KBinsDiscretizer

import fedps
from benchmarks import data

CLIENTS = 10
SIZES = (1000, 100_000)
SKETCHES: dict[str, list[Any]] = {
    "KLL": [fedps.KLL(k=k, seed=0) for k in (50, 100, 200, 400)],
    "REQ": [fedps.REQ(k=k, seed=0) for k in (4, 12, 24, 50)],
}
COLOURS = {"exact": "#1b7f4d", "KLL": "#2a5db0", "REQ": "#c2571a"}
QUARTILES = KBinsDiscretizer(
    4, strategy="quantile", encode="ordinal", subsample=None, quantile_method="linear"
)


class Point(NamedTuple):
    """What quartiles of one column cost each client, and how far off their ranks are."""

    label: str
    kilobytes: float
    error: float
    rounds: int


def measure(rows: int, quantiles: Any, label: str) -> Point:
    """Return the mean cost over the columns, and the largest error of any rank in per cent."""
    table = data.continuous(rows * CLIENTS, seed=2)
    federation = fedps.Federation(data.split(table, CLIENTS), progress=False)
    fitted = federation.fit(QUARTILES, quantiles=quantiles)
    worst = 0.0
    for column, edges in zip(table, fitted.bin_edges_, strict=True):
        ranks = np.searchsorted(np.sort(table[column]), edges[1:-1]) / len(table)
        worst = max(worst, float(np.abs(ranks - [0.25, 0.5, 0.75]).max()))
    sent = np.mean(list(federation.run.bytes_up.values())) / 1000 / table.shape[1]
    return Point(label, float(sent), 100 * worst, federation.run.rounds)


def draw(folder: Path) -> None:
    """Write the plot as SVG and PNG."""
    from matplotlib import pyplot as plt

    plt.rcParams.update({"font.size": 10, "svg.hashsalt": "fedps", "font.family": "DejaVu Sans"})
    figure, axes = plt.subplots(1, len(SIZES), figsize=(9.6, 4.2), sharey=True)
    for axis, rows in zip(axes, SIZES, strict=True):
        _panel(axis, rows)
    axes[0].set_ylabel("largest error of a quartile's rank (% of rows)")
    axes[0].legend(frameon=False, loc="lower left", bbox_to_anchor=(0.02, 0.14))
    figure.tight_layout()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "quantiles.svg", metadata={"Date": None})
    figure.savefig(folder / "quantiles.png", dpi=110)


def _panel(axis: Any, rows: int) -> None:
    exact = measure(rows, "exact", "exact")
    print(rows, exact)
    for name, sketches in SKETCHES.items():
        points = [measure(rows, sketch, f"k={sketch.k}") for sketch in sketches]
        print(rows, *points, sep="\n  ")
        x, y = [p.kilobytes for p in points], [p.error for p in points]
        axis.plot(x, y, "o-", color=COLOURS[name], label=f"{name} (1 round)", markersize=5)
        for point in (points[0], points[-1]):
            place = (point.kilobytes, point.error)
            away = (5, 6) if name == "REQ" else (-6, -14)
            axis.annotate(point.label, place, away, textcoords="offset points", fontsize=8)
    axis.plot([exact.kilobytes], [0], "D", color=COLOURS["exact"], clip_on=False, zorder=5,
              label=f"exact ({exact.rounds} rounds)")  # fmt: skip
    axis.set_xscale("log")
    axis.set_yscale("symlog", linthresh=0.01)
    axis.set_yticks([0, 0.01, 0.1, 1], ["0", "0.01", "0.1", "1"])
    axis.set_ylim(0, 6)
    axis.set_xlim(0.2, 20)
    axis.set_xticks([0.2, 0.5, 1, 2, 5, 10, 20], ["0.2", "0.5", "1", "2", "5", "10", "20"])
    axis.minorticks_off()
    axis.set_xlabel("KB sent per client and column")
    axis.set_title(f"{rows:,} rows per client")
    axis.grid(visible=True, color="#e6e6e6")
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))

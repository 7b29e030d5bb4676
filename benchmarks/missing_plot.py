"""``python -m benchmarks.missing_plot docs/images``: what imputers fill in at the hospitals.

Beside what was measured: filled in by imputers that were fitted across the four heart-disease hospitals,
and by those that were fitted at the hospital alone. Also prints the tables of ``benchmarks.missing``.
Needs matplotlib (the extra ``plots``).
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.missing import IMPUTERS, Tables, alone, federated, report

# measurements, at hospitals that have many gaps in them
PANELS = (
    ("switzerland", "chol"),
    ("va", "chol"),
    ("hungarian", "chol"),
    ("va", "trestbps"),
    ("va", "thalach"),
    ("va", "oldpeak"),
)
MEASURES = {
    "chol": ("cholesterol", "mg/dl"),
    "trestbps": ("blood pressure", "mm Hg"),
    "thalach": ("highest heart rate", "per minute"),
    "oldpeak": ("ST depression", "mm"),
}
PLACES = {"switzerland": "Switzerland", "va": "Long Beach", "hungarian": "Hungary"}
SHORT = ("mean", "median", "nearest rows", "iterative")
# the first two differ for the colour-blind too
ACROSS, ALONE, MEASURED = "#0072b2", "#d55e00", "#5a5a5a"
COLOURS = (ACROSS, ALONE)
ARMS = ("filled in, fitted across the four hospitals", "filled in, fitted at this hospital alone")
TOP = 2.6  # where the first imputer's lines are
STEP = 2.2
PAIR = 0.85


def draw(folder: Path) -> None:
    """Write the plot as SVG and PNG."""
    from matplotlib import pyplot as plt

    plt.rcParams.update({"font.size": 9, "svg.hashsalt": "fedps", "font.family": "DejaVu Sans"})
    tables = data.hospitals()
    arms = [(federated(i, tables).tables, alone(i, tables).tables) for i in IMPUTERS.values()]
    figure, axes = plt.subplots(2, 3, figsize=(10.5, 7.8), sharey=True)
    for axis, (hospital, column) in zip(axes.flat, PANELS, strict=True):
        _panel(axis, hospital, column, tables, arms)
    figure.legend(
        handles=[_handle(ACROSS, ARMS[0]), _handle(ALONE, ARMS[1]), _handle(MEASURED, "measured")],
        loc="upper center", ncols=3, frameon=False, fontsize=10, handletextpad=0.2,
    )  # fmt: skip
    figure.tight_layout(rect=(0, 0, 1, 0.95), h_pad=2.0, w_pad=1.5)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "missing.svg", metadata={"Date": None}, dpi=160)
    figure.savefig(folder / "missing.png", dpi=110)


def _panel(
    axis: Any, hospital: str, column: str, tables: Tables, arms: list[tuple[Tables, Tables]]
) -> None:
    """Draw the lines of one column at one hospital: measured above, then imputer by imputer."""
    here = tables[hospital][column]
    gaps = here.isna()
    elsewhere = [table[column].dropna() for name, table in tables.items() if name != hospital]
    _strip(axis, 0, np.concatenate(elsewhere), MEASURED)
    _strip(axis, 1, here.dropna().to_numpy(), MEASURED)
    for number, pair in enumerate(arms):
        for which, filled in enumerate(pair):
            place = TOP + STEP * number + PAIR * which
            _strip(axis, place, filled[hospital][column][gaps].dropna().to_numpy(), COLOURS[which])
    middles = [TOP + STEP * i + PAIR / 2 for i in range(len(SHORT))]
    axis.set_yticks([0, 1, *middles], ["measured elsewhere", "measured here", *SHORT])
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(middles[-1] + 1.1, -0.6)
    axis.axhline((1 + TOP) / 2, color="#d0d0d0", linewidth=0.8)
    measure, unit = MEASURES[column]
    axis.set_xlabel(unit)
    axis.set_title(
        f"{PLACES[hospital]}: {measure}\n{gaps.sum()} of {len(here)} missing", fontsize=10
    )
    axis.grid(visible=True, axis="x", color="#ececec")
    axis.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)


def _strip(axis: Any, place: float, numbers: np.ndarray, colour: str) -> None:
    """Draw numbers as a line of points, and their median as a tick."""
    if not len(numbers):
        said = "none: nothing to learn from" if colour == ALONE else "none"
        axis.annotate(
            said, (0.5, place), xycoords=("axes fraction", "data"), ha="center", va="center",
            color=colour, fontsize=8,
        )  # fmt: skip
        return
    up = np.random.default_rng(0).uniform(-0.26, 0.26, len(numbers))
    # thousands of points as shapes of their own would make a huge SVG
    look = {"markersize": 2.8, "alpha": 0.35, "markeredgewidth": 0, "rasterized": True}
    axis.plot(numbers, place + up, "o", color=colour, **look)
    middle = float(np.median(numbers))
    axis.plot([middle] * 2, [place - 0.38, place + 0.38], color="white", linewidth=4)
    axis.plot([middle] * 2, [place - 0.38, place + 0.38], color=colour, linewidth=2.2)


def _handle(colour: str, label: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker="o", linestyle="", markersize=6, label=label)


if __name__ == "__main__":
    with warnings.catch_warnings():
        # a hospital alone has columns without any cells, of which scikit-learn warns each time
        warnings.simplefilter("ignore")
        draw(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
        report()

"""``python -m benchmarks.missing_plot docs/images``: what imputers fill in at the hospitals.

Beside what was measured there: filled in by imputers that were fitted across the four heart-disease
hospitals, and at that hospital alone. Needs matplotlib (the extra ``plots``).
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import data
from benchmarks.missing import IMPUTERS, Tables, alone, federated

# hospital and column: those with the most gaps among measurements
PANELS = (
    ("switzerland", "chol"),
    ("va", "chol"),
    ("hungarian", "chol"),
    ("va", "trestbps"),
    ("va", "thalach"),
    ("va", "oldpeak"),
)
TITLES = {
    "chol": "cholesterol (mg/dl)",
    "trestbps": "resting blood pressure (mm Hg)",
    "thalach": "highest heart rate (per minute)",
    "oldpeak": "ST depression (mm)",
}
PLACES = {"switzerland": "Switzerland", "va": "Long Beach", "hungarian": "Hungary"}
SHORT = ("mean", "median", "KNN", "iterative")
# colours that differ for the colour-blind, and in lightness
MEASURED, ACROSS, ALONE = "#8c8c8c", "#0072b2", "#d55e00"


class Strip(NamedTuple):
    """One line of a panel: where numbers lie."""

    label: str
    colour: str
    numbers: np.ndarray
    place: float


def strips(hospital: str, column: str, tables: Tables, arms: list[tuple[Tables, Tables]]) -> list[Strip]:
    """Return the lines of a panel from top to bottom: measured, then imputer by imputer."""
    here = tables[hospital][column]
    gaps = here.isna()
    elsewhere = [table[column].dropna() for name, table in tables.items() if name != hospital]
    found = [
        Strip("measured elsewhere", MEASURED, np.concatenate(elsewhere), 0.0),
        Strip("measured here", MEASURED, here.dropna().to_numpy(), 1.0),
    ]
    for i, (short, (across, own)) in enumerate(zip(SHORT, arms, strict=True)):
        for k, (name, colour, filled) in enumerate((("", ACROSS, across), ("", ALONE, own))):
            numbers = filled[hospital][column][gaps].dropna().to_numpy()
            found.append(Strip(short if not k else "", colour, numbers, 2.5 + 2.1 * i + 0.75 * k))
    return found

"""How plots of the gallery look in the site: quiet axes, and colours that the colour-blind tell apart."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
from cycler import cycler

COLOURS = ["#3d7ebf", "#d9822b", "#2f9461", "#8f5bb5", "#c2455d", "#5b6b7c"]


def reset(_gallery: dict[str, Any], _script: str) -> None:
    """Set the style; the gallery calls it before each example."""
    mpl.rcParams.update(
        {
            "axes.prop_cycle": cycler(color=COLOURS),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": "medium",
            "axes.titleweight": "bold",
            "figure.dpi": 110,
            "figure.constrained_layout.use": True,
            "legend.frameon": False,
        }
    )

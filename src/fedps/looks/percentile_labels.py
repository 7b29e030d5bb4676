"""The names of quantiles: "25%", as pandas writes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def percentile_labels(percentiles: Sequence[float]) -> list[str]:
    """Return shares from 0 to 1, all different, as ``DataFrame.describe`` names them.

    Whole percents have no decimals. Others have as many as tell the two that are closest to one another
    apart, or one of them from 0% and 100%.

    >>> percentile_labels((0.25, 0.5, 0.75))
    ['25%', '50%', '75%']
    >>> percentile_labels((0.001, 0.5, 0.9995))
    ['0.1%', '50%', '99.95%']
    """
    percents = [100 * share for share in percentiles]
    gaps = np.diff(sorted({0.0, *percents, 100.0}))
    places = max(1, -int(np.floor(np.log10(gaps.min()))))
    return [_label(percent, places) for percent in percents]


def _label(percent: float, places: int) -> str:
    # cut off, not rounded, as pandas does: 28.999999999999996 is 100 * 0.29, and 29 once rounded
    whole = int(np.round(percent, places))
    if np.isclose(whole, percent):
        return f"{whole}%"
    return f"{np.round(percent, places)}%"

"""Quantiles beside pooled scikit-learn, of tall and of wide tables: cases of ``python -m benchmarks.speed``."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.preprocessing import (
    KBinsDiscretizer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
)

from benchmarks.targets import Case, beside_pooled

TALL, WIDE = (400_000, 10), (20_000, 1000)
ROBUST = {"RobustScaler": RobustScaler()}
BINS = {
    "KBinsDiscretizer quantile": KBinsDiscretizer(
        strategy="quantile", quantile_method="averaged_inverted_cdf", subsample=None
    )
}
OTHERS = {
    "QuantileTransformer": QuantileTransformer(subsample=None),
    "SplineTransformer quantile": SplineTransformer(knots="quantile"),
}


@cache
def doubles(rows: int, columns: int) -> Any:
    """Return normal numbers without ties."""
    return np.random.default_rng(0).normal(size=(rows, columns))


def _cases(shape: tuple[int, int], wanted: float, estimators: dict[str, Any]) -> list[Case]:
    rows, columns = shape
    group = f"{rows:,} x {columns} doubles, 10 clients"

    def made(estimator: Any) -> tuple[Any, Any]:
        return estimator, doubles(*shape)

    return [
        Case(group, name, wanted, partial(beside_pooled, partial(made, estimator)))
        for name, estimator in estimators.items()
    ]


CASES = [*_cases(TALL, 1.0, ROBUST | BINS | OTHERS), *_cases(WIDE, 1.5, ROBUST | BINS)]

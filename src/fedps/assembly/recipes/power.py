"""PowerTransformer from its learned numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.assembly.recipes.scalers import assemble_standard_scaler
from fedps.learned import needed
from fedps.learned.scalers import PowerTransformerNumbers, StandardScalerNumbers


def assemble_power_transformer(
    transformer: Any, numbers: PowerTransformerNumbers, table: Any
) -> Any:
    """Fit on rows of ones, which need no search, then put the numbers in."""
    width = table.shape[1]
    rows = like(table, [[1, 1]] * width)
    method = transformer.method
    transformer.method = "yeo-johnson"  # Box-Cox takes no constant columns
    transformer.fit(rows)
    transformer.method = method
    dtype = transformer.lambdas_.dtype
    transformer.lambdas_ = numbers.lambdas.astype(dtype)
    if transformer.standardize:
        scaled = StandardScalerNumbers(
            count=needed(numbers.count),
            mean=numbers.mean,
            weighted=False,
            variance=numbers.variance,
        )
        cells = np.ones((1, width), dtype=dtype)  # scikit-learn's scaler sees no names either
        assemble_standard_scaler(transformer._scaler, scaled, cells)
    return rows

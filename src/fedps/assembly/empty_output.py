"""What a fitted estimator makes of no rows at all, which scikit-learn refuses to transform."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils._set_output import _wrap_data_with_container


def empty_output(fitted: Any, rows: Any) -> Any:
    """Return an output without rows, in the container of the configured output.

    ``rows`` is a made-up table without rows, like those that the estimator was fitted on.
    """
    nothing = np.empty((0, len(fitted.get_feature_names_out())))
    last = fitted
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    return _wrap_data_with_container("transform", nothing, rows, last)

"""The allow-list: which scikit-learn classes can be made from a name in a message."""

from __future__ import annotations

from typing import Any

import sklearn.cluster
import sklearn.compose
import sklearn.dummy
import sklearn.frozen
import sklearn.impute
import sklearn.linear_model
import sklearn.neighbors
import sklearn.pipeline
import sklearn.preprocessing
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in

from fedps.learned import ROWS


def _allowed() -> dict[str, Any]:
    homes = (
        sklearn.cluster,
        sklearn.preprocessing,
        sklearn.impute,
        sklearn.linear_model,
        sklearn.neighbors,
    )
    found = {name: getattr(home, name) for home in homes for name in ROWS if hasattr(home, name)}
    return found | {
        "ARDRegression": sklearn.linear_model.ARDRegression,
        "ColumnTransformer": sklearn.compose.ColumnTransformer,
        "DummyRegressor": sklearn.dummy.DummyRegressor,
        "ElasticNet": sklearn.linear_model.ElasticNet,
        "FeatureUnion": sklearn.pipeline.FeatureUnion,
        "FrozenEstimator": sklearn.frozen.FrozenEstimator,
        "Lasso": sklearn.linear_model.Lasso,
        "LinearRegression": sklearn.linear_model.LinearRegression,
        "Pipeline": sklearn.pipeline.Pipeline,
        "Ridge": sklearn.linear_model.Ridge,
    }


CLASSES = _allowed()

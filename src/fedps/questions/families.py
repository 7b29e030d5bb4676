"""Which questions each estimator declares. A new estimator is one entry here."""

from __future__ import annotations

from typing import Any

from fedps.learned import branches_of
from fedps.questions import across, encoders, imputers, models, order, scalers
from fedps.questions.question import Declare, Question, Questions, Setting, branch
from fedps.statistics import RowKeys, Stored


def column_transformer(transformer: Any, setting: Setting) -> Questions:
    """Ask how many cells the output of a branch stores, which decides whether the whole is sparse."""
    branches = enumerate(branches_of(transformer.described))
    return [Question(Stored(), of=branch(i)) for i, (_, kept, _) in branches if kept != "drop"]


# before there is a pipeline: whether clients that hold different columns have the same rows
KEYS: Questions = (Question(RowKeys()),)

# with split="rows"
ROWS: dict[str, Declare] = {
    "BayesianRidge": models.bayesian_ridge,
    "Binarizer": scalers.finite_only,
    "ColumnTransformer": column_transformer,
    "FeatureUnion": scalers.nothing,
    "FrozenEstimator": scalers.nothing,
    "FunctionTransformer": scalers.function_transformer,
    "IterativeImputer": imputers.iterative_imputer,
    "KBinsDiscretizer": order.k_bins_discretizer,
    "KMeans": models.k_means,
    "KNNImputer": imputers.knn_imputer,
    "KNeighborsRegressor": models.k_neighbors_regressor,
    "LabelBinarizer": encoders.labels,
    "LabelEncoder": encoders.labels,
    "MaxAbsScaler": scalers.max_abs_scaler,
    "MinMaxScaler": scalers.min_max_scaler,
    "MissingIndicator": imputers.missing_indicator,
    "MultiLabelBinarizer": encoders.label_sets,
    "Normalizer": scalers.finite_only,
    "OneHotEncoder": encoders.category_encoder,
    "OrdinalEncoder": encoders.category_encoder,
    "Pipeline": scalers.nothing,
    "PolynomialFeatures": scalers.finite_only,
    "PowerTransformer": scalers.power_transformer,
    "QuantileTransformer": order.quantile_transformer,
    "RobustScaler": order.robust_scaler,
    "SimpleImputer": imputers.simple_imputer,
    "SplineTransformer": order.spline_transformer,
    "StandardScaler": scalers.standard_scaler,
    "TargetEncoder": encoders.target_encoder,
}

# with split="columns"
ACROSS: dict[str, Declare] = dict.fromkeys(ROWS, scalers.nothing) | {
    "BayesianRidge": across.bayesian_ridge,
    "IterativeImputer": across.iterative_imputer,
    "KNNImputer": across.knn_imputer,
    "KNeighborsRegressor": across.k_neighbors_regressor,
    "Normalizer": across.normalizer,
}

"""Which questions each estimator declares. A new estimator is one entry here."""

from __future__ import annotations

from typing import Any

from fedps.learned import branches_of
from fedps.learned.looks import is_look
from fedps.questions import across, encoders, imputers, models, order, scalers
from fedps.questions.looks import LOOK_FAMILIES
from fedps.questions.question import Declare, FitSetting, Question, Questions, branch
from fedps.statistics import RowKeys, Stored


def column_transformer_questions(transformer: Any, setting: FitSetting) -> Questions:
    """Ask how many cells the output of a branch stores, which decides whether the whole is sparse."""
    if is_look(transformer.described):  # nothing comes out of it
        return ()
    branches = enumerate(branches_of(transformer.described))
    return [Question(Stored(), of=branch(i)) for i, (_, kept, _) in branches if kept != "drop"]


# before there is a pipeline: whether clients that hold different columns have the same rows
KEY_QUESTIONS: Questions = (Question(RowKeys()),)

# with split="rows"
ROW_FAMILIES: dict[str, Declare] = {
    "BayesianRidge": models.bayesian_ridge_questions,
    "Binarizer": scalers.finite_only_questions,
    "ColumnTransformer": column_transformer_questions,
    "FeatureUnion": scalers.no_questions,
    "FrozenEstimator": scalers.no_questions,
    "FunctionTransformer": scalers.function_transformer_questions,
    "IterativeImputer": imputers.iterative_imputer_questions,
    "KBinsDiscretizer": order.k_bins_discretizer_questions,
    "KMeans": models.k_means_questions,
    "KNNImputer": imputers.knn_imputer_questions,
    "KNeighborsRegressor": models.k_neighbors_regressor_questions,
    "LabelBinarizer": encoders.labels,
    "LabelEncoder": encoders.labels,
    "MaxAbsScaler": scalers.max_abs_scaler_questions,
    "MinMaxScaler": scalers.min_max_scaler_questions,
    "MissingIndicator": imputers.missing_indicator_questions,
    "MultiLabelBinarizer": encoders.label_sets,
    "Normalizer": scalers.finite_only_questions,
    "OneHotEncoder": encoders.category_encoder_questions,
    "OrdinalEncoder": encoders.category_encoder_questions,
    "Pipeline": scalers.no_questions,
    "PolynomialFeatures": scalers.finite_only_questions,
    "PowerTransformer": scalers.power_transformer_questions,
    "QuantileTransformer": order.quantile_transformer_questions,
    "RobustScaler": order.robust_scaler_questions,
    "SimpleImputer": imputers.simple_imputer_questions,
    "SplineTransformer": order.spline_transformer_questions,
    "StandardScaler": scalers.standard_scaler_questions,
    "TargetEncoder": encoders.target_encoder_questions,
}

# what looks at the data, and fits nothing
EVERY_FAMILY = ROW_FAMILIES | LOOK_FAMILIES

# with split="columns"
COLUMN_FAMILIES: dict[str, Declare] = dict.fromkeys(ROW_FAMILIES, scalers.no_questions) | {
    "BayesianRidge": across.bayesian_ridge_across,
    "IterativeImputer": across.iterative_imputer_across,
    "KNNImputer": across.knn_imputer_across,
    "KNeighborsRegressor": across.k_neighbors_regressor_across,
    "Normalizer": across.normalizer_across,
}

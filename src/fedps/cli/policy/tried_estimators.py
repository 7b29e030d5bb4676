"""The estimators that ``fedps policy check`` tries, by what they are tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sklearn import cluster, impute, linear_model, preprocessing
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in

_Estimators = Mapping[str, Callable[[], Any]]

# On each column by itself.
EACH_COLUMN: _Estimators = {
    "StandardScaler": preprocessing.StandardScaler,
    "MinMaxScaler": preprocessing.MinMaxScaler,
    "MaxAbsScaler": preprocessing.MaxAbsScaler,
    "RobustScaler": preprocessing.RobustScaler,
    "QuantileTransformer": lambda: preprocessing.QuantileTransformer(n_quantiles=10),
    "PowerTransformer": preprocessing.PowerTransformer,
    "KBinsDiscretizer": lambda: preprocessing.KBinsDiscretizer(
        encode="ordinal", quantile_method="averaged_inverted_cdf"
    ),
    "SplineTransformer": preprocessing.SplineTransformer,
    "Binarizer": preprocessing.Binarizer,
    "SimpleImputer (mean)": impute.SimpleImputer,
    "SimpleImputer (median)": lambda: impute.SimpleImputer(strategy="median"),
    "SimpleImputer (most_frequent)": lambda: impute.SimpleImputer(strategy="most_frequent"),
    "MissingIndicator": lambda: impute.MissingIndicator(features="all"),
    "OneHotEncoder": preprocessing.OneHotEncoder,
    "OrdinalEncoder": preprocessing.OrdinalEncoder,
}
# On all columns of numbers together; the second group takes no missing values.
ALL_COLUMNS: _Estimators = {
    "IterativeImputer": lambda: impute.IterativeImputer(max_iter=1),
}
COMPLETE_COLUMNS: _Estimators = {
    "Normalizer": preprocessing.Normalizer,
    "PolynomialFeatures": preprocessing.PolynomialFeatures,
    "KMeans": lambda: cluster.KMeans(n_clusters=2, n_init=1, max_iter=2, random_state=0),
}
# These read a target, too.
WITH_TARGET: _Estimators = {"TargetEncoder": preprocessing.TargetEncoder}
REGRESSIONS: _Estimators = {"BayesianRidge": linear_model.BayesianRidge}
OF_LABELS: _Estimators = {"LabelEncoder": preprocessing.LabelEncoder}
# These ask for rows once fitted; trying that could take hours, so the policy's level decides.
NEED_ROWS = ("KNNImputer", "KNeighborsRegressor")
TRIED = (
    *EACH_COLUMN,
    *ALL_COLUMNS,
    *COMPLETE_COLUMNS,
    *WITH_TARGET,
    *REGRESSIONS,
    *OF_LABELS,
    *NEED_ROWS,
)

"""The estimators that ``fedps policy check`` tries, by what they are tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sklearn import cluster, impute, linear_model, preprocessing
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in

Trials = Mapping[str, Callable[[], Any]]

# On each column by itself.
SINGLE: Trials = {
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
# On all columns of numbers at once; the second ones take no missing values.
TOGETHER: Trials = {
    "IterativeImputer": lambda: impute.IterativeImputer(max_iter=1),
}
COMPLETE: Trials = {
    "Normalizer": preprocessing.Normalizer,
    "PolynomialFeatures": preprocessing.PolynomialFeatures,
    "KMeans": lambda: cluster.KMeans(n_clusters=2, n_init=1, max_iter=2, random_state=0),
}
# They read a target, too.
WITH_TARGET: Trials = {"TargetEncoder": preprocessing.TargetEncoder}
REGRESSIONS: Trials = {"BayesianRidge": linear_model.BayesianRidge}
LABELS: Trials = {"LabelEncoder": preprocessing.LabelEncoder}
# Fitted, they ask for rows; trying that out could take hours.
OF_ROWS = ("KNNImputer", "KNeighborsRegressor")
ALL = (*SINGLE, *TOGETHER, *COMPLETE, *WITH_TARGET, *REGRESSIONS, *LABELS, *OF_ROWS)

"""Words that both sides know beforehand: messages refer to them as if they had just been sent.

That matters in messages of a few hundred bytes, such as the request that begins a fit. A change needs a
new VERSION. What scikit-learn has as defaults today is here, so that an estimator without parameters of
its own costs a few bytes; with other defaults it costs some more, and means the same.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

from msgspec.msgpack import Ext, encode

NAMED, TUPLE, DTYPE = 2, 3, 4  # extension types, see codec
_F8 = Ext(DTYPE, b"<f8")

# the commonest last: what was sent last takes fewest bytes to refer to
ESTIMATOR_DEFAULTS: dict[str, dict[str, Any]] = {
    "BayesianRidge": {
        "alpha_1": 1e-06,
        "alpha_2": 1e-06,
        "alpha_init": None,
        "compute_score": False,
        "fit_intercept": True,
        "lambda_1": 1e-06,
        "lambda_2": 1e-06,
        "lambda_init": None,
        "max_iter": 300,
        "tol": 0.001,
    },
    "Binarizer": {"threshold": 0.0},
    "FeatureUnion": {"transformer_weights": None, "verbose_feature_names_out": True, "parts": []},
    "FunctionTransformer": {
        "accept_sparse": False,
        "feature_names_out": None,
        "func": None,
        "inv_kw_args": None,
        "kw_args": None,
        "validate": False,
    },
    "IterativeImputer": {
        "add_indicator": False,
        "estimator": None,
        "fill_value": None,
        "imputation_order": "ascending",
        "initial_strategy": "mean",
        "keep_empty_features": False,
        "max_iter": 10,
        "max_value": inf,
        "min_value": -inf,
        "missing_values": nan,
        "n_nearest_features": None,
        "random_state": None,
        "sample_posterior": False,
        "skip_complete": False,
        "tol": 0.001,
    },
    "KBinsDiscretizer": {
        "dtype": None,
        "encode": "onehot",
        "n_bins": 5,
        "quantile_method": "averaged_inverted_cdf",
        "random_state": None,
        "strategy": "quantile",
        "subsample": 200000,
    },
    "KMeans": {
        "algorithm": "lloyd",
        "init": "k-means++",
        "max_iter": 300,
        "n_clusters": 8,
        "n_init": "auto",
        "random_state": None,
        "tol": 0.0001,
    },
    "KNNImputer": {
        "add_indicator": False,
        "keep_empty_features": False,
        "missing_values": nan,
        "n_neighbors": 5,
    },
    "KNeighborsRegressor": {"metric": "minkowski", "metric_params": None, "n_neighbors": 5, "p": 2},
    "LabelBinarizer": {"neg_label": 0, "pos_label": 1, "sparse_output": False},
    "LabelEncoder": {},
    "MaxAbsScaler": {"clip": False},
    "MissingIndicator": {
        "error_on_new": True,
        "features": "missing-only",
        "missing_values": nan,
        "sparse": "auto",
    },
    "MultiLabelBinarizer": {"classes": None, "sparse_output": False},
    "Normalizer": {"norm": "l2"},
    "PolynomialFeatures": {
        "degree": 2,
        "include_bias": True,
        "interaction_only": False,
        "order": "C",
    },
    "PowerTransformer": {"method": "yeo-johnson", "standardize": True},
    "QuantileTransformer": {
        "ignore_implicit_zeros": False,
        "n_quantiles": 1000,
        "output_distribution": "uniform",
        "random_state": None,
        "subsample": 10000,
    },
    "RobustScaler": {
        "quantile_range": (25.0, 75.0),
        "unit_variance": False,
        "with_centering": True,
        "with_scaling": True,
    },
    "SplineTransformer": {
        "degree": 3,
        "extrapolation": "constant",
        "handle_missing": "error",
        "include_bias": True,
        "knots": "uniform",
        "n_knots": 5,
        "order": "C",
        "sparse_output": False,
    },
    "TargetEncoder": {
        "categories": "auto",
        "cv": 5,
        "random_state": "deprecated",
        "shuffle": "deprecated",
        "smooth": "auto",
        "target_type": "auto",
    },
    "OrdinalEncoder": {
        "categories": "auto",
        "dtype": _F8,
        "encoded_missing_value": nan,
        "handle_unknown": "error",
        "max_categories": None,
        "min_frequency": None,
        "unknown_value": None,
    },
    "MinMaxScaler": {"clip": False, "feature_range": (0, 1)},
    "OneHotEncoder": {
        "categories": "auto",
        "drop": None,
        "dtype": _F8,
        "feature_name_combiner": "concat",
        "handle_unknown": "error",
        "max_categories": None,
        "min_frequency": None,
        "sparse_output": True,
    },
    "SimpleImputer": {
        "add_indicator": False,
        "fill_value": None,
        "keep_empty_features": False,
        "missing_values": nan,
        "strategy": "mean",
    },
    "ColumnTransformer": {
        "sparse_threshold": 0.3,
        "transformer_weights": None,
        "verbose_feature_names_out": True,
        "parts": [],
        "remainder": "drop",
    },
    "Pipeline": {"parts": []},
    "StandardScaler": {"with_mean": True, "with_std": True},
}

_NAMES = (
    b"FrozenEstimator drop passthrough ordinal onehot-dense uniform quantile kmeans median most_frequent constant "
    b"ignore infrequent_if_exist use_encoded_value min_frequency max_categories items kll req "
    b"finite stored known missing categories extremes moments category:|O sparse polars numpy "
    b"pandas float32 bool object float64 str int64 client "
)


def _packed(value: Any) -> Any:
    return Ext(TUPLE, encode(list(value))) if isinstance(value, tuple) else value


def _described(name: str, params: dict[str, Any]) -> bytes:
    """Return an estimator as it travels; see Described."""
    plain = {key: _packed(value) for key, value in params.items()}
    return encode([name, Ext(NAMED, encode(plain)), [], None])


_FITTED = encode(["fitted", 1]) + encode("numbers")
_FIRST_ROUND = encode([1, [], [[0, 0, [], None, None]], b""])
_REST = encode([None, 3, False, None, None, None, False, None])

WORDS = b"".join(
    [
        _FITTED,
        *(_described(name, params) for name, params in ESTIMATOR_DEFAULTS.items()),
        _NAMES,
        _REST[2:],
        _FIRST_ROUND,
    ]
)

"""Which plan learns which estimator. Adding an estimator means one line here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn import cluster, frozen, impute, linear_model, neighbors, pipeline, preprocessing
from sklearn import compose as sk_compose
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in

from fedps.errors import NotFederated, UsageError
from fedps.learned import Learned
from fedps.plans.rows import (
    bayesian_ridge,
    bins,
    compose,
    encoders,
    imputers,
    knn_imputer,
    labels,
    scalers,
    stateless,
)
from fedps.plans.rows import knn_regressor as neighbours
from fedps.plans.rows import quantile_transforms as transforms
from fedps.plans.rows import target_encoder as target
from fedps.plans.rows.iterative import iterative_imputer as iterative
from fedps.plans.rows.kmeans import kmeans
from fedps.plans.rows.power import power_transformer as power
from fedps.protocol.messages import Except, Named
from fedps.protocol.plan import Plan, View

PLANS: dict[type, Callable[..., Plan[Learned]]] = {
    cluster.KMeans: kmeans.k_means,
    frozen.FrozenEstimator: compose.frozen_estimator,
    impute.KNNImputer: knn_imputer.knn_imputer,
    impute.IterativeImputer: iterative.iterative_imputer,
    impute.MissingIndicator: imputers.missing_indicator,
    impute.SimpleImputer: imputers.simple_imputer,
    linear_model.BayesianRidge: bayesian_ridge.bayesian_ridge,
    neighbors.KNeighborsRegressor: neighbours.k_neighbors_regressor,
    preprocessing.Binarizer: stateless.finite_only,
    preprocessing.FunctionTransformer: stateless.function_transformer,
    preprocessing.KBinsDiscretizer: bins.k_bins_discretizer,
    preprocessing.LabelBinarizer: labels.label_binarizer,
    preprocessing.LabelEncoder: labels.label_encoder,
    preprocessing.MaxAbsScaler: scalers.max_abs_scaler,
    preprocessing.MinMaxScaler: scalers.min_max_scaler,
    preprocessing.MultiLabelBinarizer: labels.multi_label_binarizer,
    preprocessing.Normalizer: stateless.finite_only,
    preprocessing.OneHotEncoder: encoders.category_encoder,
    preprocessing.OrdinalEncoder: encoders.category_encoder,
    preprocessing.PolynomialFeatures: stateless.finite_only,
    preprocessing.PowerTransformer: power.power_transformer,
    preprocessing.QuantileTransformer: transforms.quantile_transformer,
    preprocessing.RobustScaler: transforms.robust_scaler,
    preprocessing.SplineTransformer: bins.spline_transformer,
    preprocessing.StandardScaler: scalers.standard_scaler,
    preprocessing.TargetEncoder: target.target_encoder,
}

COMPOUNDS: dict[type, Callable[..., Plan[Learned]]] = {
    pipeline.FeatureUnion: compose.feature_union,
    pipeline.Pipeline: compose.pipeline,
    sk_compose.ColumnTransformer: compose.column_transformer,
}

# their plans take a column of row weights
WEIGHTED: dict[type, Callable[..., Plan[Learned]]] = {
    linear_model.BayesianRidge: bayesian_ridge.bayesian_ridge,
    preprocessing.StandardScaler: scalers.standard_scaler,
}

# when fitted, they still ask the clients about rows: what to do with these
ASKING: dict[type, Callable[..., Plan[Any]]] = {
    impute.KNNImputer: knn_imputer.fill_gaps,
    neighbors.KNeighborsRegressor: neighbours.predict_from_nearest,
}

# they read the target, not the table
OF_TARGETS = (
    preprocessing.LabelBinarizer,
    preprocessing.LabelEncoder,
    preprocessing.MultiLabelBinarizer,
)


def plan_for(estimator: Any, view: View) -> Plan[Learned]:
    """Return the plan that learns an estimator on a view."""
    kind = type(estimator)
    if kind in COMPOUNDS:
        return COMPOUNDS[kind](plan_for, estimator, view)
    if kind in OF_TARGETS and view.parent is not None:
        raise UsageError(f"{kind.__name__} is for the target: fit it on its own, not on columns.")
    if hasattr(kind, "_parameter_constraints"):  # LabelEncoder has no parameters
        estimator._validate_params()  # noqa: SLF001 - before anything is asked, not after
    return PLANS[kind](estimator, view)


def plan_to_ask(estimator: Any, learned: Learned, queries: Any) -> Plan[Any]:
    """Return the plan that asks the clients about rows, for an estimator fitted on theirs.

    ``learned`` is what was learned when it was fitted.
    """
    return ASKING[type(estimator)](estimator, learned.numbers, queries)


def check_supported(estimator: Any) -> None:
    """Raise NotFederated unless an estimator, and all that it is made of, has a plan."""
    kind = type(estimator)
    if kind not in PLANS and kind not in COMPOUNDS:
        raise NotFederated(_cannot(estimator))
    if kind in COMPOUNDS:
        parts = getattr(estimator, "steps", None) or getattr(estimator, "transformer_list", None)
        inner = [part for _, part, *_ in parts or getattr(estimator, "transformers", [])]
        for part in (*inner, getattr(estimator, "remainder", None)):
            if part is not None and not isinstance(part, str):
                check_supported(part)
                _check_place(part, last=kind is pipeline.Pipeline and part is inner[-1])


def _check_place(part: Any, *, last: bool) -> None:
    """Raise UsageError where a part must transform, and cannot."""
    if not last and not hasattr(part, "transform"):
        name = type(part).__name__
        raise UsageError(f"{name} has no transform: it can only be the last step of a Pipeline.")


def weighted_plan_for(estimator: Any, view: View, weight: str) -> Plan[Learned]:
    """Return the plan that learns an estimator with row weights from a column."""
    kind = type(estimator)
    if not isinstance(weight, str):
        raise UsageError(
            f"sample_weight is a {type(weight).__name__}: name the column that holds the row weights "
            "at each client."
        )
    if kind not in WEIGHTED:
        able = " and ".join(sorted(known.__name__ for known in WEIGHTED))
        raise UsageError(f"{kind.__name__}.fit takes no sample_weight here. {able} do.")
    estimator._validate_params()  # noqa: SLF001 - before anything is asked, not after
    features = view.select(Except((Named((weight,)),)))
    return partial(WEIGHTED[kind], weight=weight)(estimator, features)


def supported() -> list[str]:
    """Return the names of all estimators that can be federated.

    >>> "StandardScaler" in supported()
    True
    """
    return sorted(kind.__name__ for kind in (*PLANS, *COMPOUNDS))


def _cannot(estimator: Any) -> str:
    name = type(estimator).__name__
    if not hasattr(estimator, "fit"):
        return f"{estimator!r} is not a scikit-learn estimator."
    if isinstance(estimator, type):
        return f"{estimator.__name__} is a class: give an instance, {estimator.__name__}()."
    return f"FedPS cannot federate {name} (yet). It can: {', '.join(supported())}."

"""Which plan learns which estimator. Adding an estimator means one line here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn import compose as sk_compose
from sklearn import frozen, impute, pipeline, preprocessing

from fedps.errors import NotFederated, UsageError
from fedps.learned import Learned
from fedps.plans import (
    bins,
    compose,
    encoders,
    imputers,
    labels,
    power,
    scalers,
    stateless,
    target,
    transforms,
)
from fedps.protocol.messages import Except, Named
from fedps.protocol.plan import Plan, View

PLANS: dict[type, Callable[..., Plan[Learned]]] = {
    frozen.FrozenEstimator: compose.frozen_estimator,
    impute.MissingIndicator: imputers.missing_indicator,
    impute.SimpleImputer: imputers.simple_imputer,
    preprocessing.Binarizer: stateless.finite_only,
    preprocessing.FunctionTransformer: stateless.function_transformer,
    preprocessing.KBinsDiscretizer: bins.k_bins_discretizer,
    preprocessing.LabelBinarizer: labels.labels,
    preprocessing.LabelEncoder: labels.labels,
    preprocessing.MaxAbsScaler: scalers.max_abs_scaler,
    preprocessing.MinMaxScaler: scalers.minmax_scaler,
    preprocessing.MultiLabelBinarizer: labels.multi_label_binarizer,
    preprocessing.Normalizer: stateless.finite_only,
    preprocessing.OneHotEncoder: encoders.encoder,
    preprocessing.OrdinalEncoder: encoders.encoder,
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
    if hasattr(estimator, "_parameter_constraints"):  # LabelEncoder has no parameters
        estimator._validate_params()  # noqa: SLF001 - before anything is asked, not after
    return PLANS[kind](estimator, view)


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


def weighted_plan_for(estimator: Any, view: View, weight: str) -> Plan[Learned]:
    """Return the plan that learns an estimator with row weights from a column."""
    kind = type(estimator)
    if not isinstance(weight, str):
        raise UsageError(
            f"sample_weight is a {type(weight).__name__}: name the column that holds the row weights "
            "at each client."
        )
    if kind is not preprocessing.StandardScaler:
        raise UsageError(f"{kind.__name__}.fit takes no sample_weight here. StandardScaler does.")
    features = view.select(Except((Named((weight,)),)))
    return partial(scalers.standard_scaler, weight=weight)(estimator, features)


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

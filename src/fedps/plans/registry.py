"""Which plans there are for each scikit-learn class. A new estimator is one entry here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn import cluster, frozen, impute, linear_model, neighbors, pipeline, preprocessing
from sklearn import compose as sk_compose
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in

from fedps.compounds import walk
from fedps.errors import UsageError
from fedps.learned import Learned
from fedps.plans import compose
from fedps.plans.columns import bayesian_ridge as ridge_across
from fedps.plans.columns import knn_regressor as neighbours_across
from fedps.plans.columns.by_owner import (
    beside_target,
    by_owner,
    cell_by_cell,
    of_target,
    only_at_one_owner,
    unless_alone,
)
from fedps.plans.columns.column_transformer import column_transformer_across_owners
from fedps.plans.columns.iterative_imputer import iterative_imputer_across_owners
from fedps.plans.columns.knn_imputer import knn_imputer_across_owners
from fedps.plans.columns.normalizer import normalizer_across_owners
from fedps.plans.parameter_checks import validate
from fedps.plans.rows import (
    bayesian_ridge,
    bins,
    encoders,
    imputers,
    knn_imputer,
    knn_regressor,
    labels,
    quantile_transforms,
    scalers,
    stateless,
)
from fedps.plans.rows.column_transformer import column_transformer
from fedps.plans.rows.iterative.iterative_imputer import iterative_imputer
from fedps.plans.rows.kmeans.kmeans import k_means
from fedps.plans.rows.power.power_transformer import power_transformer
from fedps.plans.rows.target_encoder import target_encoder
from fedps.plans.shared.routing import check_routing, wants_weights
from fedps.plans.shared.weights import check_takes_weights
from fedps.protocol.plan import Plan, View

MakePlan = Callable[..., Plan[Any]]


@dataclass(frozen=True)
class Supported:
    """The plans for one scikit-learn class.

    Parameters
    ----------
    rows : callable
        The plan for ``split="rows"``.
    columns : callable
        The plan for ``split="columns"``.
    weighted : callable, optional
        The plan for ``split="rows"`` with a column of row weights.
    when_used : callable, optional
        The plan by which a fitted estimator asks the clients when it is used: the rows that it was
        fitted on stayed with them.
    predict : callable, optional
        The plan that predicts with ``split="columns"``.
    of_target : bool, default=False
        Whether it is fitted on the target instead of the table.
    """

    rows: MakePlan
    columns: MakePlan
    weighted: MakePlan | None = None
    when_used: MakePlan | None = None
    predict: MakePlan | None = None
    of_target: bool = False


# they learn nothing: their plans for split="rows" only check the cells
_CHECKS_ONLY = (
    preprocessing.Binarizer,
    preprocessing.Normalizer,
    preprocessing.PolynomialFeatures,
)


def _inside_rows(estimator: Any, view: View) -> Plan[Learned]:
    """Return the plan of an estimator inside another, with ``split="rows"``."""
    return plan_for(estimator, view)


def _inside_columns(estimator: Any, view: View) -> Plan[Learned]:
    """Return the plan of an estimator inside another, with ``split="columns"``."""
    if isinstance(estimator, OF_TARGETS):
        raise UsageError(f"{type(estimator).__name__} is for the target: fit it on its own.")
    return plan_for_columns(estimator, view)


def _inside_weighted(weight: str, estimator: Any, view: View) -> Plan[Learned]:
    """Return the plan of an estimator inside another: with row weights if it requests them."""
    if type(estimator) in _COMPOUNDS:
        return _weighted_compound(estimator, view, weight)
    if wants_weights(estimator):
        return weighted_plan_for(estimator, view, weight)
    return plan_for(estimator, view)


def _weighted_compound(estimator: Any, view: View, weight: str) -> Plan[Learned]:
    setting = compose.Setting(partial(_inside_weighted, weight), _CHECKS_ONLY)
    return _COMPOUNDS[type(estimator)](setting, estimator, view)


_COMPOUNDS: dict[type, MakePlan] = {
    pipeline.FeatureUnion: compose.feature_union,
    pipeline.Pipeline: compose.pipeline,
    sk_compose.ColumnTransformer: column_transformer,
}
_ROWS = compose.Setting(_inside_rows, _CHECKS_ONLY)
_COLUMNS = compose.Setting(_inside_columns, whole=True)

REGISTRY: dict[type, Supported] = {
    cluster.KMeans: Supported(
        k_means,
        only_at_one_owner("its centres have all columns. It works with split='rows'"),
    ),
    frozen.FrozenEstimator: Supported(
        stateless.frozen_estimator,
        only_at_one_owner("it was fitted on all of them together", stateless.frozen_estimator),
    ),
    impute.IterativeImputer: Supported(
        iterative_imputer, unless_alone(iterative_imputer_across_owners)
    ),
    impute.KNNImputer: Supported(
        knn_imputer.knn_imputer,
        unless_alone(knn_imputer_across_owners),
        when_used=knn_imputer.fill_gaps,
    ),
    impute.MissingIndicator: Supported(imputers.missing_indicator, by_owner),
    impute.SimpleImputer: Supported(imputers.simple_imputer, by_owner),
    linear_model.BayesianRidge: Supported(
        bayesian_ridge.bayesian_ridge,
        ridge_across.bayesian_ridge_across_owners,
        weighted=bayesian_ridge.bayesian_ridge,
        predict=ridge_across.predict_ridge,
    ),
    neighbors.KNeighborsRegressor: Supported(
        knn_regressor.k_neighbors_regressor,
        neighbours_across.k_neighbors_regressor_across_owners,
        when_used=knn_regressor.predict_from_nearest,
        predict=neighbours_across.predict_neighbours,
    ),
    pipeline.FeatureUnion: Supported(
        partial(compose.feature_union, _ROWS),
        partial(compose.feature_union, _COLUMNS),
        weighted=_weighted_compound,
    ),
    pipeline.Pipeline: Supported(
        partial(compose.pipeline, _ROWS),
        partial(compose.pipeline, _COLUMNS),
        weighted=_weighted_compound,
    ),
    preprocessing.Binarizer: Supported(stateless.finite_only, by_owner),
    preprocessing.FunctionTransformer: Supported(stateless.function_transformer, cell_by_cell),
    preprocessing.KBinsDiscretizer: Supported(
        bins.k_bins_discretizer, by_owner, weighted=bins.k_bins_discretizer
    ),
    preprocessing.LabelBinarizer: Supported(labels.label_binarizer, of_target, of_target=True),
    preprocessing.LabelEncoder: Supported(labels.label_encoder, of_target, of_target=True),
    preprocessing.MaxAbsScaler: Supported(scalers.max_abs_scaler, by_owner),
    preprocessing.MinMaxScaler: Supported(scalers.min_max_scaler, by_owner),
    preprocessing.MultiLabelBinarizer: Supported(
        labels.multi_label_binarizer, of_target, of_target=True
    ),
    preprocessing.Normalizer: Supported(
        stateless.finite_only, unless_alone(normalizer_across_owners)
    ),
    preprocessing.OneHotEncoder: Supported(encoders.category_encoder, by_owner),
    preprocessing.OrdinalEncoder: Supported(encoders.category_encoder, by_owner),
    preprocessing.PolynomialFeatures: Supported(
        stateless.finite_only,
        only_at_one_owner(
            "it multiplies columns of different owners, row by row. Give it columns of one owner in "
            "a ColumnTransformer"
        ),
    ),
    preprocessing.PowerTransformer: Supported(power_transformer, by_owner),
    preprocessing.QuantileTransformer: Supported(
        quantile_transforms.quantile_transformer, by_owner
    ),
    preprocessing.RobustScaler: Supported(quantile_transforms.robust_scaler, by_owner),
    preprocessing.SplineTransformer: Supported(
        bins.spline_transformer, by_owner, weighted=bins.spline_transformer
    ),
    preprocessing.StandardScaler: Supported(
        scalers.standard_scaler, by_owner, weighted=scalers.standard_scaler
    ),
    preprocessing.TargetEncoder: Supported(target_encoder, beside_target),
    sk_compose.ColumnTransformer: Supported(
        partial(column_transformer, _ROWS),
        partial(column_transformer_across_owners, _COLUMNS),
        weighted=_weighted_compound,
    ),
}

ASKING = tuple(kind for kind, entry in REGISTRY.items() if entry.when_used)
OF_TARGETS = tuple(kind for kind, entry in REGISTRY.items() if entry.of_target)
_BY_NAME = {kind.__name__: entry for kind, entry in REGISTRY.items()}


def plan_for(estimator: Any, view: View) -> Plan[Learned]:
    """Return the plan that learns an estimator on a view, with ``split="rows"``."""
    entry = REGISTRY[type(estimator)]
    if entry.of_target and not view.is_table:
        name = type(estimator).__name__
        raise UsageError(f"{name} is for the target: fit it on its own, not on columns.")
    validate(estimator)
    return entry.rows(estimator, view)


def plan_for_columns(estimator: Any, view: View) -> Plan[Learned]:
    """Return the plan that learns an estimator on a view, with ``split="columns"``."""
    entry = REGISTRY[type(estimator)]
    validate(estimator)
    if view.is_table and not sum(view.widths) and not entry.of_target:
        raise UsageError("no client has a column besides the key and the target: nothing to fit.")
    return entry.columns(estimator, view)


def weighted_plan_for(estimator: Any, view: View, weight: str) -> Plan[Learned]:
    """Return the plan that learns an estimator with row weights from a column."""
    if not isinstance(weight, str):
        raise UsageError(
            f"sample_weight is a {type(weight).__name__}: name the column that holds the row weights "
            "at each client."
        )
    if type(estimator) in _COMPOUNDS:
        check_routing(estimator)
    for part in (part for part in walk(estimator) if part is estimator or wants_weights(part)):
        if REGISTRY[type(part)].weighted is None:
            able = [k.__name__ for k, e in REGISTRY.items() if e.weighted and k not in _COMPOUNDS]
            raise UsageError(
                f"FedPS does not support sample_weight for {type(part).__name__}. It does for "
                f"{', '.join(sorted(able))}."
            )
        check_takes_weights(part)
    plan = REGISTRY[type(estimator)].weighted
    assert plan is not None
    validate(estimator)
    return plan(estimator, view, weight=weight)


def plan_to_ask(estimator: Any, learned: Learned, queries: Any) -> Plan[Any]:
    """Return the plan by which a fitted estimator asks the clients about rows."""
    plan = REGISTRY[type(estimator)].when_used
    assert plan is not None
    return plan(estimator, learned.numbers, queries)


def plan_to_predict(learned: Learned, view: View) -> Plan[Any] | None:
    """Return the plan that predicts with ``split="columns"``; None if the estimator has none."""
    plan = _BY_NAME[learned.estimator].predict
    return None if plan is None else plan(learned, view)


def supported() -> list[str]:
    """Return the names of the scikit-learn estimators that FedPS can fit.

    Returns
    -------
    list of str
        Their class names, sorted. They may be combined by ``Pipeline``, ``FeatureUnion`` and
        ``ColumnTransformer``.

    Examples
    --------
    >>> "StandardScaler" in supported()
    True
    """
    return sorted(kind.__name__ for kind in REGISTRY)

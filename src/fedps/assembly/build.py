"""Assembly: a name, parameters and learned numbers become a fitted estimator.

scikit-learn's own ``fit`` runs on a tiny table with the same result, so that every attribute, public
and private, is right for the installed version. Only classes on the allow-list can be made. Functions
are looked up by the caller, which decides which names it trusts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.frozen import FrozenEstimator

from fedps.assembly.classes import CLASSES
from fedps.assembly.compose import COMPOUND_RECIPES, Built, Learner
from fedps.assembly.federated import neighbours
from fedps.assembly.federated.cross_fitted import CrossFitted
from fedps.assembly.federated.neighbours import FEDERATED
from fedps.assembly.freeze import SELECTOR, Lookup, thaw
from fedps.assembly.recipes import (
    clusters,
    encoders,
    imputers,
    iterative,
    labels,
    linear,
    power,
    quantiles,
    scalers,
    stateless,
)
from fedps.assembly.recipes import target_encoder as target
from fedps.learned import ROWS, Function, Learned
from fedps.learned.encoders import TargetEncoderNumbers
from fedps.learned.numbers import Numbers

# fits an estimator, given its learned numbers and a made-up row; returns the rows it was fitted on
Recipe = Callable[[Any, Any, Any], Any]
Check = Callable[[Learned, int], None]

_check: ContextVar[Check | None] = ContextVar("check", default=None)
_made: ContextVar[list[tuple[Any, Numbers]] | None] = ContextVar("made", default=None)

RECIPES: dict[str, Recipe] = {
    "BayesianRidge": linear.assemble_bayesian_ridge,
    "Binarizer": stateless.assemble_stateless,
    "FunctionTransformer": stateless.assemble_function_transformer,
    "IterativeImputer": iterative.assemble_iterative_imputer,
    "LabelBinarizer": labels.assemble_label_binarizer,
    "LabelEncoder": labels.assemble_label_encoder,
    "MaxAbsScaler": scalers.assemble_max_abs_scaler,
    "MinMaxScaler": scalers.assemble_min_max_scaler,
    "MissingIndicator": imputers.assemble_missing_indicator,
    "MultiLabelBinarizer": labels.assemble_multi_label_binarizer,
    "KNNImputer": neighbours.assemble_knn_imputer,
    "KNeighborsRegressor": neighbours.assemble_k_neighbors_regressor,
    "KBinsDiscretizer": quantiles.assemble_k_bins_discretizer,
    "KMeans": clusters.assemble_k_means,
    "Normalizer": stateless.assemble_stateless,
    "OneHotEncoder": encoders.assemble_category_encoder,
    "OrdinalEncoder": encoders.assemble_category_encoder,
    "PolynomialFeatures": stateless.assemble_stateless,
    "PowerTransformer": power.assemble_power_transformer,
    "QuantileTransformer": quantiles.assemble_quantile_transformer,
    "RobustScaler": quantiles.assemble_robust_scaler,
    "SimpleImputer": imputers.assemble_simple_imputer,
    "SplineTransformer": quantiles.assemble_spline_transformer,
    "StandardScaler": scalers.assemble_standard_scaler,
    "TargetEncoder": target.assemble_target_encoder,
}


# their output for a row depends on its position among all rows, so they must know which rows they get
_ROW_AWARE = ("IterativeImputer",)


def is_row_aware(learned: Learned) -> bool:
    """Return whether a fitted estimator must be told which of a client's rows it transforms."""
    own = learned.estimator in _ROW_AWARE or learned.is_folded
    return own or any(map(is_row_aware, learned.steps))


def assemble(estimator: Any, learned: Learned, table: Any) -> Any:
    """Return a fitted copy of an estimator.

    ``table`` is a made-up row like those that the estimator was fitted on.
    """
    return Learner(estimator, learned, _build).fit(table).fitted


def assemble_with_row(estimator: Any, learned: Learned, table: Any) -> tuple[Any, Any]:
    """Return a fitted copy of an estimator, and one made-up row of its output."""
    learner = Learner(estimator, learned, _build)
    row = learner.fit_transform(table)
    return learner.fitted, row


@contextmanager
def checking(check: Check | None) -> Iterator[None]:
    """Call ``check`` with each estimator, also inside compounds, and its width before it is fitted."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


@contextmanager
def collecting() -> Iterator[list[tuple[Any, Numbers]]]:
    """Give a list of each fitted estimator that is made, also inside compounds, and its numbers."""
    made: list[tuple[Any, Numbers]] = []
    token = _made.set(made)
    try:
        yield made
    finally:
        _made.reset(token)


def _build(learner: Learner, table: Any, transforms: bool) -> Built:
    """Return the fitted estimator of a stand-in, and a function that gives one row of its output."""
    learned = learner.learned
    name = learned.estimator
    if (check := _check.get()) is not None and hasattr(table, "shape"):
        check(learned, table.shape[-1])
    if name in COMPOUND_RECIPES:
        return COMPOUND_RECIPES[name](learner, table, transforms)
    genuine = clone(learner.estimator)
    numbers = learned.numbers_as(ROWS[name])
    example = RECIPES[name](genuine, numbers, table)
    fitted = genuine
    if isinstance(numbers, TargetEncoderNumbers) and numbers.is_folded:
        fitted = CrossFitted.of(genuine, numbers)
    if name in FEDERATED:
        fitted = FEDERATED[name].of(genuine, numbers)
    if (made := _made.get()) is not None:
        made.append((fitted, numbers))
    return fitted, lambda: genuine.transform(_first_row(example))


def _first_row(table: Any) -> Any:
    """Return the first row of a made-up table."""
    if isinstance(table, list):
        return table[:1]
    if hasattr(table, "iloc"):
        return table.iloc[:1]
    return table[:1]


def twin(fitted: Any, twins: dict[int, Any]) -> Any:
    """Return a copy of a fitted estimator and of all inside of it, which shares what they have learned.

    ``twins`` gets each copy by the ``id`` of what it is a copy of.

    >>> from sklearn.preprocessing import StandardScaler
    >>> scaler = StandardScaler().fit([[1.0], [3.0]])
    >>> copied = twin(scaler, {})
    >>> copied is scaler, copied.mean_ is scaler.mean_
    (False, True)
    """
    if isinstance(fitted, BaseEstimator):
        if id(fitted) not in twins:
            made = twins[id(fitted)] = object.__new__(type(fitted))
            made.__dict__.update({name: twin(own, twins) for name, own in vars(fitted).items()})
        return twins[id(fitted)]
    if type(fitted) in (list, tuple):
        return type(fitted)(twin(one, twins) for one in fitted)
    return (
        {key: twin(one, twins) for key, one in fitted.items()} if type(fitted) is dict else fitted
    )


_OUTPUT = "set_output"


def unfitted(learned: Learned, lookup: Lookup) -> Any:
    """Return the unfitted estimator that some learned numbers belong to."""
    if learned.estimator == "FrozenEstimator":
        return FrozenEstimator(thaw(learned.steps[0], lookup))
    params = {name: _param(value, lookup) for name, value in learned.params.items()}
    output = params.pop(_OUTPUT, None)
    steps = (unfitted(step, lookup) for step in learned.steps)
    if learned.estimator in _COMPOUNDS:
        estimator = _COMPOUNDS[learned.estimator](learned.estimator, params, steps)
    else:
        if learned.estimator == "IterativeImputer" and learned.steps:
            params["estimator"] = next(steps)
        estimator = CLASSES[learned.estimator](**params)
    if output is not None:
        # of itself alone: what is inside has its own, which set_output would change
        estimator._sklearn_output_config = {"transform": output}
    return estimator


def _param(value: Any, lookup: Lookup) -> Any:
    return lookup(value.name) if isinstance(value, Function) else value


def _in_order(name: str, params: dict[str, Any], steps: Any) -> Any:
    """Return a Pipeline or a FeatureUnion. Nothing was learned for 'passthrough' and 'drop'."""
    parts = [(part, kept or next(steps)) for part, kept in params.pop("parts")]
    return CLASSES[name](parts, **params)


def _by_columns(name: str, params: dict[str, Any], steps: Any) -> Any:
    parts = [
        (part, kept or next(steps), _columns(columns))
        for part, kept, columns in params.pop("parts")
    ]
    remainder = params.pop("remainder") or next(steps)
    return ColumnTransformer(parts, remainder=remainder, **params)


def _columns(columns: Any) -> Any:
    """Return a selection of columns as scikit-learn takes it."""
    if not isinstance(columns, dict):
        return list(columns)
    if SELECTOR in columns:
        return make_column_selector(**columns[SELECTOR])
    return slice(*columns["slice"])


_COMPOUNDS: dict[str, Callable[[str, dict[str, Any], Any], Any]] = {
    "ColumnTransformer": _by_columns,
    "FeatureUnion": _in_order,
    "Pipeline": _in_order,
}

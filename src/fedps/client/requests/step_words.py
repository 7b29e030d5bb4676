"""The steps of a pipeline in plain words, for somebody who decides about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fedps.errors import UsageError
from fedps.learned import Described, Function
from fedps.learned.looks import LOOKS
from fedps.protocol.codec import encode_part
from fedps.protocol.words import ESTIMATOR_DEFAULTS
from fedps.report.rendering import Shortened

Parameter = Mapping[str, Any]
_LONGEST = 40  # characters of a parameter

_FILLINGS = {
    "mean": "the mean of the column",
    "median": "the median of the column",
    "most_frequent": "the most frequent value of the column",
    "constant": "a constant",
}
_BINS = {
    "uniform": "of equal width",
    "quantile": "with equally many rows",
    "kmeans": "around the centres of clusters",
}


def _fill(params: Parameter) -> str:
    return f"fill missing cells with {_FILLINGS.get(params['strategy'], 'a value')}"


def _scale(params: Parameter) -> str:
    centred, scaled = params["with_mean"], params["with_std"]
    if centred and scaled:
        return "scale each column to mean 0 and variance 1"
    return "scale each column to variance 1" if scaled else "shift each column to mean 0"


def _bin(params: Parameter) -> str:
    return f"cut each column into bins {_BINS.get(params['strategy'], '')}".rstrip()


def _apply(params: Parameter) -> str:
    function = params["func"]
    name = function.name if isinstance(function, Function) else "no function"
    return f"apply {name!r} to the columns"


def _clusters(params: Parameter) -> str:
    return f"sort the rows into {params['n_clusters']} clusters"


# what each estimator or look does; compounds are told by what is inside of them
STEP_WORDS: dict[str, str | Callable[[Parameter], str]] = {
    "ARDRegression": "a linear model of few columns",
    "BayesianRidge": "learn to predict the target by a linear model",
    "Binarizer": "write 1 for cells above a threshold, else 0",
    "ColumnTransformer": "treat groups of columns separately",
    "CorrelateNumbers": "correlate each two columns of numbers",
    "CrossCategories": "count the rows of each pair of categories of two columns",
    "DescribeCategories": "list the categories of each column, with counts of the most frequent",
    "DescribeDates": "describe each column of dates: count, mean, spread, quantiles, bars",
    "DescribeNumbers": "describe each column of numbers: count, mean, spread, quantiles, bars",
    "DummyRegressor": "the same for all missing cells of a column",
    "ElasticNet": "a linear model of few columns",
    "FeatureUnion": "do several things with the same columns, side by side",
    "FrozenEstimator": "use a transformer that was fitted before, elsewhere",
    "FunctionTransformer": _apply,
    "IterativeImputer": "fill missing cells with predictions from the other columns",
    "KBinsDiscretizer": _bin,
    "KMeans": _clusters,
    "KNNImputer": "fill missing cells from the most similar rows",
    "KNeighborsRegressor": "predict the target from the most similar rows",
    "LabelBinarizer": "write each label of the target as a column of 0 and 1",
    "LabelEncoder": "number the labels of the target",
    "Lasso": "a linear model of few columns",
    "LinearRegression": "a linear model",
    "MaxAbsScaler": "divide each column by its largest absolute value",
    "MinMaxScaler": "scale each column so that its smallest and largest value are fixed",
    "MissingIndicator": "mark which cells are missing",
    "MultiLabelBinarizer": "write each label of the target's sets as a column of 0 and 1",
    "Normalizer": "scale each row to length 1",
    "OneHotEncoder": "write each category as a column of 0 and 1",
    "OrdinalEncoder": "number the categories of each column",
    "Pipeline": "do several things, one after the other",
    "PolynomialFeatures": "add products of the columns",
    "PowerTransformer": "bend each column by a power, so that it looks like a bell curve",
    "QuantileTransformer": "replace each value by its rank among all",
    "Ridge": "a linear model",
    "RobustScaler": "scale each column by its median and two percentiles",
    "SimpleImputer": _fill,
    "SplineTransformer": "write each column as smooth pieces between knots",
    "StandardScaler": _scale,
    "TargetEncoder": "replace each category by the mean of the target there",
}


def step_in_words(described: Described) -> Shortened:
    """Return what an estimator does, its class, and its parameters other than the defaults.

    Long parameters are shortened. ``group_in_words`` has the rows that a look is confined to.
    """
    return Shortened(_in_words(described, _LONGEST), _in_words(described, None))


def _in_words(described: Described, longest: int | None) -> str:
    words = STEP_WORDS.get(described.estimator, "do something that is not known here")
    text = words if isinstance(words, str) else words(described.params)
    settings = ", ".join([described.estimator, *_own_parameters(described, longest)])
    return f"{text} ({settings})"


def group_in_words(described: Described) -> tuple[str, str] | None:
    """Return the column and the category of the only rows that a look reads; None: it reads all."""
    where = described.params.get("where") if described.estimator in LOOKS else None
    if where is None:
        return None
    column, value = where if isinstance(where, list | tuple) and len(where) == 2 else ("?", where)
    return _quoted(column), _quoted(value)


def _quoted(value: Any) -> str:
    # unlike ascii(), this keeps letters such as ø, and still shows nothing that acts on a terminal
    text = repr(value) if isinstance(value, str) else _parameter(value, _LONGEST)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _own_parameters(described: Described, longest: int | None) -> list[str]:
    known = ESTIMATOR_DEFAULTS.get(described.estimator, {})
    return [
        f"{key}={_parameter(value, longest)}"
        for key, value in described.params.items()
        if key not in ("parts", "remainder", "where")
        and not (key in known and _same_value(value, known[key]))
    ]


def _same_value(value: Any, other: Any) -> bool:
    try:
        return encode_part(value) == encode_part(other)
    except UsageError:  # there are values that only a hostile server sends
        return False


def _parameter(value: Any, longest: int | None) -> str:
    """Return a parameter as people read it. It is a server's text: nothing in it acts on a terminal."""
    if isinstance(value, Function):
        text = ascii(value.name)
    elif isinstance(value, np.ndarray):
        text = f"an array of {value.size}"
    elif isinstance(value, type):
        text = value.__name__
    else:
        text = ascii(value)
    return text if longest is None or len(text) <= longest else f"{text[: longest - 3]}..."

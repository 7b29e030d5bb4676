"""Calls that are odd or wrong: any dtype in any container, given to any estimator, from a seed.

``call(seed)`` makes one: an estimator, the tables of two clients, and the same rows pooled.
"""

from __future__ import annotations

import datetime as dt
import warnings
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from pandas.api.types import union_categoricals
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)

from tests.twins.gaps import unified

ROWS = 24
GAP = object()  # a missing cell, before a container gives it its own


def _gaps(cells: list[Any], rng: Any) -> list[Any]:
    return [GAP if rng.random() < 0.2 else cell for cell in cells]


def _dates(rng: Any) -> list[Any]:
    return [dt.datetime(2020, 1, 1 + int(day)) for day in rng.integers(0, 27, ROWS)]  # noqa: DTZ001


COLUMNS = {
    "floats": lambda rng: rng.normal(size=ROWS).tolist(),
    "floats with gaps": lambda rng: _gaps(rng.normal(size=ROWS).tolist(), rng),
    "integers": lambda rng: rng.integers(-5, 5, ROWS).tolist(),
    "integers with gaps": lambda rng: _gaps(rng.integers(0, 5, ROWS).tolist(), rng),
    "large integers": lambda rng: (2**62 + rng.integers(0, 9, ROWS)).tolist(),
    "beyond 64 bits": lambda rng: [2**70 + int(i) for i in rng.integers(0, 3, ROWS)],
    "truth values": lambda rng: (rng.random(ROWS) < 0.5).tolist(),
    "truth values with gaps": lambda rng: _gaps((rng.random(ROWS) < 0.5).tolist(), rng),
    "texts": lambda rng: rng.choice(["a", "b", "c"], ROWS).tolist(),
    "texts with gaps": lambda rng: _gaps(rng.choice(["a", "b"], ROWS).tolist(), rng),
    "empty texts": lambda rng: rng.choice(["", " ", "x"], ROWS).tolist(),
    "digits": lambda rng: rng.choice(["01", "2", "3"], ROWS).tolist(),
    "texts and numbers": lambda rng: [i if rng.random() < 0.5 else str(i) for i in range(ROWS)],
    "dates": _dates,
    "dates with gaps": lambda rng: _gaps(_dates(rng), rng),
    "dates with a zone": lambda rng: [d.replace(tzinfo=dt.UTC) for d in _dates(rng)],
    "days": lambda rng: [d.date() for d in _dates(rng)],
    "durations": lambda rng: [dt.timedelta(hours=int(h)) for h in rng.integers(0, 5, ROWS)],
    "decimals": lambda rng: [Decimal(int(i)) / 4 for i in rng.integers(0, 9, ROWS)],
    "bytes": lambda rng: rng.choice([b"a", b"b"], ROWS).tolist(),
    "nothing": lambda _: [GAP] * ROWS,
    "a constant": lambda _: [7.0] * ROWS,
    "infinite": lambda rng: [np.inf if i == 3 else float(i) for i in rng.integers(0, 9, ROWS)],
    "complex": lambda rng: (rng.normal(size=ROWS) + 1j).tolist(),
    "lists": lambda rng: [[int(i)] for i in rng.integers(0, 3, ROWS)],
}


def _pandas(columns: dict[str, list[Any]], missing: Any = None) -> pd.DataFrame:
    return pd.DataFrame(
        {name: [missing if c is GAP else c for c in cells] for name, cells in columns.items()}
    )


def _arrow(columns: dict[str, list[Any]]) -> pa.Table:
    return pa.table(
        {name: [None if c is GAP else c for c in cells] for name, cells in columns.items()}
    )


def _objects(columns: dict[str, list[Any]], missing: Any) -> np.ndarray:
    made = np.empty((ROWS, len(columns)), dtype=object)
    for j, cells in enumerate(columns.values()):
        for i, cell in enumerate(cells):
            made[i, j] = missing if cell is GAP else cell
    return made


CONTAINERS = {
    "pandas": _pandas,
    "pandas objects": lambda columns: pd.DataFrame(_objects(columns, None), columns=list(columns)),
    "pandas objects with nan": lambda columns: pd.DataFrame(
        _objects(columns, np.nan), columns=list(columns)
    ),
    "pandas nullable": lambda columns: _pandas(columns).convert_dtypes(),
    "pandas categories": lambda columns: _pandas(columns).astype("category"),
    "pandas on arrow": lambda columns: _arrow(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda columns: pl.from_arrow(_arrow(columns)),
    "arrow": _arrow,
    "numpy": lambda columns: _pandas(columns, np.nan).to_numpy(),
    "numpy objects": lambda columns: _objects(columns, None),
    "sparse": lambda columns: sp.csr_matrix(_pandas(columns, np.nan).to_numpy(dtype=float)),
}

ESTIMATORS = [
    StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, Binarizer, Normalizer, KNNImputer,
    lambda: StandardScaler(with_mean="no"),
    lambda: MinMaxScaler(feature_range=(1, 0)),
    lambda: RobustScaler(quantile_range=(90, 10)),
    lambda: KBinsDiscretizer(n_bins=1), lambda: KBinsDiscretizer(n_bins=3, encode="ordinal"),
    lambda: KBinsDiscretizer(strategy="bogus"),
    lambda: OneHotEncoder(handle_unknown="ignore"), lambda: OneHotEncoder(drop="first"),
    lambda: OneHotEncoder(min_frequency=3, handle_unknown="infrequent_if_exist"),
    lambda: OneHotEncoder(categories=[["a", "b"]]), lambda: OneHotEncoder(handle_unknown="bogus"),
    OrdinalEncoder, lambda: OrdinalEncoder(encoded_missing_value=-1),
    lambda: OrdinalEncoder(handle_unknown="use_encoded_value"),
    lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2),
    SimpleImputer, lambda: SimpleImputer(strategy="most_frequent"),
    lambda: SimpleImputer(strategy="constant", fill_value="x"),
    lambda: SimpleImputer(missing_values=None, strategy="most_frequent"),
    lambda: SimpleImputer(missing_values=pd.NA, strategy="most_frequent"),
    lambda: SimpleImputer(strategy="bogus"), lambda: SimpleImputer(add_indicator=True),
    MissingIndicator, lambda: MissingIndicator(features="all"),
    lambda: IterativeImputer(max_iter=2), lambda: IterativeImputer(max_iter=-1),
    lambda: PowerTransformer(method="box-cox"), PowerTransformer,
    lambda: QuantileTransformer(n_quantiles=5), lambda: QuantileTransformer(n_quantiles=0),
    PolynomialFeatures, lambda: PolynomialFeatures(degree=-1),
    lambda: SplineTransformer(n_knots=3), lambda: SplineTransformer(n_knots=1),
    FunctionTransformer, lambda: FunctionTransformer(np.log1p),
    lambda: FunctionTransformer(lambda X: X - X.mean()),
    lambda: make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
    lambda: make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
    lambda: make_union(MinMaxScaler(), MissingIndicator(features="all")),
    lambda: make_column_transformer((OneHotEncoder(), ["one"]), remainder="passthrough"),
    lambda: make_column_transformer((StandardScaler(), ["nowhere"])),
    lambda: make_column_transformer((StandardScaler(), [7])),
    lambda: make_column_transformer((OrdinalEncoder(), make_column_selector(dtype_exclude="number"))),
    lambda: make_column_transformer((OneHotEncoder(), lambda X: [c for c in X if X[c].nunique() < 5])),
]  # fmt: skip


@dataclass
class OddCall:
    """An estimator, the tables of two clients, and a function that gives their rows pooled."""

    said: str
    estimator: Any
    clients: list[Any]
    kinds: tuple[str, str]


def call(seed: int) -> OddCall | None:
    """Return an odd call; None if the container cannot hold the cells at all."""
    rng = np.random.default_rng(seed)
    names = list(COLUMNS)
    chosen = [names[i] for i in rng.choice(len(names), int(rng.integers(1, 3)), replace=False)]
    first, second = (list(CONTAINERS)[i] for i in rng.integers(0, len(CONTAINERS), 2))
    alone = {"numpy", "numpy objects", "sparse"}  # arrays cannot be joined with frames
    if rng.random() < 0.5 or {first, second} & alone or (first == "polars" and "objects" in second):
        second = first  # polars knows no dtype for objects that may be anything
    make = ESTIMATORS[int(rng.integers(0, len(ESTIMATORS)))]
    labels = ["one", "two"][: len(chosen)]
    clients = []
    for kind in (first, second):
        columns = {label: COLUMNS[name](rng) for label, name in zip(labels, chosen, strict=True)}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                clients.append(CONTAINERS[kind](columns))
        except (ValueError, TypeError, OverflowError, pa.ArrowException, pl.exceptions.PolarsError):
            return None
    estimator = make()
    said = f"{estimator!r} on {chosen} in {first} and {second}"
    return OddCall(said, estimator, clients, (first, second))


def pooled(clients: list[Any]) -> Any:
    """Return the rows of all clients in the first one's kind."""
    first = clients[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(clients)
    if sp.issparse(first):
        return sp.vstack(clients, format="csr")
    if isinstance(first, pl.DataFrame):
        return pl.concat([_as_polars(table) for table in clients], how="vertical_relaxed")
    frames = [_as_pandas(table) for table in clients]
    for name in frames[0].columns:
        joined = _alike([frame[name] for frame in frames])
        frames = [f.assign(**{name: column}) for f, column in zip(frames, joined, strict=True)]
    return pd.concat(frames, ignore_index=True)


def _alike(columns: list[Any]) -> list[Any]:
    """Return the columns of all clients in dtypes that pandas joins as docs/limits.md says."""
    kinds = [getattr(column.dtype, "kind", "O") for column in columns]
    if all(isinstance(column.dtype, pd.CategoricalDtype) for column in columns):
        every = _categories(columns)
        return [column.cat.set_categories(every) for column in columns]
    if set(kinds) <= set("iuf") and pd.concat(columns).dtype == object:
        return [column.astype("Float64" if "f" in kinds else "Int64") for column in columns]
    objects = [c for c in columns if c.dtype == object or isinstance(c.dtype, pd.CategoricalDtype)]
    if any(type(cell) is dt.date for column in objects for cell in column):  # polars has days, too
        return [c.dt.date if k == "M" else c for c, k in zip(columns, kinds, strict=True)]
    return columns


def _categories(columns: list[Any]) -> pd.Index:
    """Return the categories of all columns, sorted where they have an order."""
    try:
        return union_categoricals(columns, sort_categories=True).categories
    except TypeError:  # text beside numbers
        return union_categoricals(columns).categories


def with_one_gap(table: Any, clients: list[Any]) -> Any:
    """Return pooled rows with one value for missing, as the first client's kind has it."""
    if isinstance(table, pl.DataFrame) or sp.issparse(table):
        return table
    return unified(table, [c if isinstance(c, np.ndarray) else _as_pandas(c) for c in clients])


def _as_polars(table: Any) -> pl.DataFrame:
    if isinstance(table, pl.DataFrame):
        return table
    return pl.from_arrow(table) if isinstance(table, pa.Table) else pl.from_pandas(table)


def as_objects(table: Any) -> pd.DataFrame:
    """Return the same rows in a pandas frame of plain numbers and objects, with NaN for what is missing."""
    frame = _as_pandas(table)
    plain = {}
    for name, column in frame.items():
        if getattr(column.dtype, "kind", "O") in "iuf":
            plain[name] = pd.Series(column.to_numpy(dtype=float, na_value=np.nan), frame.index)
        else:
            plain[name] = column.astype(object).mask(column.isna(), np.nan)
    return pd.DataFrame(plain)


def _as_pandas(table: Any) -> pd.DataFrame:
    """Return a frame in which nulls of polars, and those of no type, are NaN, as pandas has it."""
    frame = table.to_pandas() if isinstance(table, pa.Table | pl.DataFrame) else table
    untyped = [name for name, dtype in frame.dtypes.items() if str(dtype) == "null[pyarrow]"]
    if isinstance(table, pl.DataFrame):
        untyped += [name for name, dtype in frame.dtypes.items() if dtype == np.dtype("O")]
    gaps = {name: frame[name].astype(object) for name in untyped if frame[name].isna().any()}
    return frame.assign(**{name: c.mask(c.isna(), np.nan) for name, c in gaps.items()})

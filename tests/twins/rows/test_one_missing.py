"""Clients whose containers have different missing values: one for all, as the first one's would pool."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

import fedps
from tests.rotation import rotated
from tests.twins.compare import assert_same_fit, assert_same_output
from tests.twins.quiet import quiet

GAP = object()
WORDS = [["f", GAP, "m", "f", "m", "f"], ["m", "x", GAP, GAP, "f", "f"]]
FULL = [["f", "x", "m", "f", "m", "f"], WORDS[1]]
TARGET = [[0, 1, 0, 1, 1, 0], [1, 1, 0, 1, 0, 0]]


def series(cells, gap, dtype):
    return pd.DataFrame({"x": pd.Series([gap if c is GAP else c for c in cells], dtype=dtype)})


def listed(cells):
    return {"x": [None if c is GAP else c for c in cells]}


def with_target(table, y):
    """Return a table with one more column."""
    if isinstance(table, pd.DataFrame):
        return table.assign(y=y)
    return (
        table.with_columns(pl.Series("y", y))
        if isinstance(table, pl.DataFrame)
        else table.append_column("y", [y])
    )


def parquet(table, folder):
    pq.write_table(table, folder / "x.parquet")
    return folder / "x.parquet"


def csv(table, folder):
    table.to_csv(folder / "x.csv", index=False)
    return folder / "x.csv"


# what a client has, and what scikit-learn would get of it
CONTAINERS = {
    "nan": lambda cells: series(cells, np.nan, object),
    "none": lambda cells: series(cells, None, object),
    "str": lambda cells: series(cells, np.nan, "str") if pd.__version__ > "3" else None,
    "string": lambda cells: series(cells, pd.NA, "string"),
    "category": lambda cells: series(cells, np.nan, "category"),
    "arrow": lambda cells: series(cells, None, pd.ArrowDtype(pa.string())),
    "object-NA": lambda cells: series(cells, pd.NA, object),
    "polars": lambda cells: pl.DataFrame(listed(cells)),
    "polars-categories": lambda cells: pl.DataFrame(listed(cells)).cast(pl.Categorical),
    "pyarrow": lambda cells: pa.table(listed(cells)),
    "parquet": lambda cells: pa.table(listed(cells)),
    "csv": lambda cells: series(cells, np.nan, object),
}
FILES = {"parquet": parquet, "csv": csv}
IN_POLARS = ("polars", "polars-categories")
ESTIMATORS = {
    "one-hot": OneHotEncoder(),
    "one-hot-rare": OneHotEncoder(min_frequency=3, handle_unknown="infrequent_if_exist"),
    "one-hot-dropped": OneHotEncoder(drop="first"),
    "ordinal": OrdinalEncoder(),
    "target": TargetEncoder(cv=2, target_type="binary"),
    "mode": SimpleImputer(strategy="most_frequent"),
    "mode-none": SimpleImputer(strategy="most_frequent", missing_values=None),
    "mode-NA": SimpleImputer(strategy="most_frequent", missing_values=pd.NA),
    "constant": SimpleImputer(strategy="constant", fill_value="?", add_indicator=True),
    "constant-none": SimpleImputer(strategy="constant", fill_value="?", missing_values=None),
    "constant-NA": SimpleImputer(strategy="constant", fill_value="?", missing_values=pd.NA),
    "indicator": MissingIndicator(features="all"),
    "indicator-none": MissingIndicator(missing_values=None),
    "indicator-NA": MissingIndicator(missing_values=pd.NA),
    "imputed": make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
    "marked": make_pipeline(
        SimpleImputer(strategy="constant", fill_value="?"), OrdinalEncoder(), MissingIndicator()
    ),
    "twice": make_column_transformer(
        (OneHotEncoder(), ["x"]), (SimpleImputer(strategy="most_frequent"), ["x"])
    ),
    "passed-on": make_pipeline(
        make_column_transformer(("passthrough", ["x"])), OneHotEncoder(sparse_output=False)
    ),
}
PAIRS = {
    f"{first}-{second}": (first, second)
    for first in CONTAINERS
    for second in CONTAINERS
    if first != second
}


def pooled(first, second, cells):
    """Return the rows of both in the first one's container, with its missing value."""
    rows = [*cells[0], *cells[1]]
    if first in IN_POLARS:
        return CONTAINERS[first](rows)
    held = {first, second} if GAP in cells[0] else {second}
    old_arrow = {"pyarrow", "parquet"} if pd.__version__ < "3" else set()
    gap = None if held <= {"none", *old_arrow} else np.nan
    return series(rows, gap, object)


def made(kind, cells, y, folder):
    """Return a client's table, or its file."""
    table = with_target(CONTAINERS[kind](cells), y)
    if kind not in FILES:
        return table
    folder.mkdir()
    return FILES[kind](table, folder)


def outcome(function, *args, **kwargs):
    with quiet():
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 (whatever one raises, so must the other)
            return error


@pytest.mark.parametrize(("name", "pair"), rotated([(name, list(PAIRS)) for name in ESTIMATORS]))
def test_pairs(name, pair, tmp_path):
    check(name, *PAIRS[pair], WORDS, tmp_path)


def check(name, first, second, cells, folder):
    """Compare the fit, and each client's rows, with those of the pooled table."""
    estimator, table = ESTIMATORS[name], pooled(first, second, cells)
    each = zip("ab", (first, second), cells, TARGET, strict=True)
    clients = {own: made(kind, rows, y, folder / own) for own, kind, rows, y in each}
    federation = fedps.Federation(clients, target="y", policy=fedps.Policy.preset("open"))
    theirs = outcome(clone(estimator).fit, table, np.concatenate(TARGET))
    ours = outcome(federation.fit, estimator)
    if isinstance(theirs, Exception):
        assert isinstance(ours, (fedps.FedPSError, type(theirs))), ours
        return
    if name == "passed-on" and not {"string", "arrow"}.isdisjoint((first, second)):
        return  # a ColumnTransformer does not pass pandas' NA on
    assert not isinstance(ours, Exception), ours
    assert_same_fit(ours, theirs)
    rows, own = outcome(theirs.transform, table), outcome(federation.transform, ours)
    assert isinstance(rows, Exception) == isinstance(own, Exception), own
    if not isinstance(rows, Exception):
        found = np.concatenate([dense(part) for part in own.values()])
        assert_same_output(found.astype(dense(rows).dtype), dense(rows), theirs)


def dense(rows):
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)


NUMBERS = [[1, GAP, 2, 1, 2, 1], [2, 3, GAP, GAP, 1, 1]]
TRUTHS = [[True, GAP, False, True, True, True], [False, False, GAP, GAP, True, True]]
OF_NUMBERS = {
    "float": lambda cells: series(cells, np.nan, float),
    "Int64": lambda cells: series(cells, pd.NA, "Int64"),
    "arrow": lambda cells: series(cells, None, pd.ArrowDtype(pa.int64())),
    "polars": lambda cells: pl.DataFrame(listed(cells)),
    "pyarrow": lambda cells: pa.table(listed(cells)),
}
OF_TRUTHS = {
    "boolean": lambda cells: series(cells, pd.NA, "boolean"),
    "arrow": lambda cells: series(cells, None, pd.ArrowDtype(pa.bool_())),
    "polars": lambda cells: pl.DataFrame(listed(cells)),
}

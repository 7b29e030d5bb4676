"""Clients whose containers have different missing values: one for all, as the first one's would pool."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    LabelEncoder,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)

import fedps
from fedps.federation.in_process import InProcess
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
if pd.__version__ >= "3":  # before, it was a word for object
    CONTAINERS["str"] = lambda cells: series(cells, np.nan, "str")
FILES = {"parquet": parquet, "csv": csv}
IN_POLARS = ("polars", "polars-categories")
# which scikit-learn takes as a splitter since 1.9
FOLDS = {"cv": KFold(2)} if sklearn.__version__ >= "1.9" else {"cv": 2, "shuffle": False}
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
    "one-hot-scaled": make_pipeline(OneHotEncoder(sparse_output=False), StandardScaler()),
    "ordinal-scaled": make_pipeline(OrdinalEncoder(encoded_missing_value=-1), StandardScaler()),
    "target-scaled": make_pipeline(TargetEncoder(target_type="binary", **FOLDS), StandardScaler()),
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


CASES = [(name, list(PAIRS)[k % 3 :: 3]) for k, name in enumerate(ESTIMATORS)]


@pytest.mark.parametrize(("name", "pair"), rotated(CASES))
def test_pairs(name, pair, tmp_path):
    check(name, *PAIRS[pair], WORDS, tmp_path)


def check(name, first, second, cells, folder):
    """Compare a fit over two containers with that of the pooled table."""
    each = zip("ab", (first, second), cells, TARGET, strict=True)
    clients = [made(kind, rows, y, folder / own) for own, kind, rows, y in each]
    if name == "passed-on" and not {"string", "arrow"}.isdisjoint((first, second)):
        return  # a ColumnTransformer does not pass pandas' NA on
    compare(ESTIMATORS[name], clients, pooled(first, second, cells))


def compare(estimator, clients, table):
    """Compare the fit, and each client's rows, with those of the pooled table."""
    federation = fedps.Federation(clients, target="y", policy=fedps.Policy.preset("open"))
    theirs = outcome(clone(estimator).fit, table, np.concatenate(TARGET))
    ours = outcome(federation.fit, estimator)
    if isinstance(theirs, Exception):
        assert isinstance(ours, fedps.FedPSError), ours
        return
    assert not isinstance(ours, Exception), ours
    assert_same_fit(ours, theirs)
    rows, own = outcome(theirs.transform, table), outcome(federation.transform, ours)
    assert isinstance(rows, Exception) == isinstance(own, Exception), own
    if not isinstance(rows, Exception):
        found = np.concatenate([dense(part) for part in own])
        assert_same_output(found.astype(dense(rows).dtype), dense(rows), theirs)


def dense(rows):
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)


NUMBERS = [[1, GAP, 2, 1, 2, 1], [2, 3, GAP, GAP, 1, 1]]
TRUTHS = [[True, GAP, False, True, True, True], [False, False, GAP, GAP, True, True]]
OF_NUMBERS = {
    "float": lambda cells: series(cells, np.nan, float),
    "Int64": lambda cells: series(cells, pd.NA, "Int64"),
    "polars": lambda cells: pl.DataFrame(listed(cells)),
    "pyarrow": lambda cells: pa.table(listed(cells)),
}
OF_TRUTHS = {
    "boolean": lambda cells: series(cells, pd.NA, "boolean"),
    "polars": lambda cells: pl.DataFrame(listed(cells)),
}
OF_ANY = {
    "one-hot": OneHotEncoder(sparse_output=False),
    "ordinal": OrdinalEncoder(),
    "target": TargetEncoder(cv=2, target_type="binary"),
    "mode": SimpleImputer(strategy="most_frequent"),
    "indicator": MissingIndicator(features="all"),
}


@pytest.mark.parametrize("name", OF_ANY)
@pytest.mark.parametrize(
    ("kinds", "cells"), [(OF_NUMBERS, NUMBERS), (OF_TRUTHS, TRUTHS)], ids=["numbers", "truths"]
)
def test_numbers_and_truths(kinds, cells, name):
    for first, second in permutations(kinds, 2):
        table = kinds[first](cells[0] + cells[1])
        table = table.to_pandas() if isinstance(table, pa.Table) else table
        each = zip((first, second), cells, TARGET, strict=True)
        compare(OF_ANY[name], [with_target(kinds[k](rows), y) for k, rows, y in each], table)


def test_a_column_that_holds_both_at_all_clients_keeps_both():
    table = pd.DataFrame({"x": pd.Series(["a", None, np.nan], dtype=object)})
    federation = fedps.Federation([table, table])
    with quiet():
        assert federation.fit(OrdinalEncoder()).categories_[0].tolist()[1] is None
    assert federation.run.notes == []


def test_the_run_says_what_counts_as_what():
    tables = {"oslo": series(WORDS[0], None, object), "bergen": pl.DataFrame(listed(WORDS[1]))}
    federation = fedps.Federation(tables, policy=fedps.Policy.preset("open"))
    federation.fit(make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()))
    assert federation.run.notes == ["column 'x': None at clients 'oslo' and 'bergen' counts as nan"]
    tables["bergen"] = series(WORDS[1], pd.NA, "string")
    federation = fedps.Federation(tables, policy=fedps.Policy.preset("open"))
    federation.fit(OneHotEncoder())
    assert federation.run.notes == [
        "column 'x': None at client 'oslo' and <NA> at client 'bergen' count as one missing value, nan"
    ]


def test_labels():
    cells = [np.array(["a", None, "b"], object), pd.Series(["a", np.nan, "c"], dtype=object)]
    federation = fedps.Federation([(None, y) for y in cells])
    encoder = federation.fit(LabelEncoder())
    assert encoder.classes_.tolist()[:3] == ["a", "b", "c"]
    assert np.isnan(encoder.classes_[3])
    found = [codes.tolist() for codes in federation.transform(encoder)]
    assert found == [[0, 3, 1], [0, 3, 2]]


def test_a_fit_from_a_checkpoint_says_the_same(tmp_path):
    tables = [series(WORDS[0], None, object), series(WORDS[1], np.nan, object)]
    pipe = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
    federation = fedps.Federation(tables, policy=fedps.Policy.preset("open"))
    sent = federation._session.transport.exchange
    rounds = []

    def once(messages):
        rounds.append(1)
        if len(rounds) == 2:
            raise fedps.TransportError("the line is cut.")
        return sent(messages)

    federation._session.transport.exchange = once
    with pytest.raises(fedps.TransportError):
        federation.fit(pipe, checkpoint=tmp_path / "fit")
    fitted = federation.fit(pipe, checkpoint=tmp_path / "fit")
    assert federation.run.resumed == 1
    assert len(federation.run.notes) == 1
    assert fitted[-1].categories_[0].tolist() == ["f", "m", "x"]


@pytest.mark.parametrize("pair", rotated([("all", list(PAIRS)[::3])]), ids=lambda pair: pair[1])
def test_clients_that_do_not_trust_the_server(pair, monkeypatch):
    """A client checks what it is told against its own rows: another missing value is no contradiction."""
    monkeypatch.setattr(InProcess, "trust", lambda *_: {})
    first, second = PAIRS[pair[1]]
    tables = [
        CONTAINERS[kind](20 * cells) for kind, cells in zip((first, second), WORDS, strict=True)
    ]
    federation = fedps.Federation(tables, policy=fedps.Policy.preset("default"))
    for encoder in (
        OneHotEncoder(sparse_output=False),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    ):
        federation.fit(make_pipeline(encoder, StandardScaler()))
    federation.fit(make_pipeline(ESTIMATORS["constant"], OneHotEncoder()))

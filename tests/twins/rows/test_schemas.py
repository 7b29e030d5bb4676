"""Clients whose tables differ where it does not matter: the fit is that of the columns they share."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

import fedps
from tests.twins.compare import assert_same_fit, assert_same_transform

SHARED = ["age", "sex", "visits"]
NUMBERS = make_column_selector(dtype_include="number")
TEXTS = make_column_selector(dtype_exclude="number")


def people(rows, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.normal(50, 9, rows),
            "sex": rng.choice(["f", "m"], rows),
            "visits": rng.integers(0, 9, rows),
        }
    )


OSLO, BERGEN = people(40, 0), people(30, 1)
# in front, so that no position means the same
MORE = BERGEN.assign(extra="x", more=1.0)[["extra", "visits", "more", "age", "sex"]]
BY_NAME = make_column_transformer(
    (StandardScaler(), ["age"]), (OneHotEncoder(sparse_output=False), ["sex"])
)


INT64 = make_column_transformer((StandardScaler(), make_column_selector(dtype_include="int64")))


def check(estimator, clients, notes=None):
    """Compare with the pooled fit on the columns that all have; each client's rows are transformed."""
    federation = fedps.Federation(clients)
    fitted = federation.fit(estimator)
    frames = {name: _pandas(table) for name, table in clients.items()}
    order = [name for name in frames[next(iter(frames))] if name in SHARED]
    pooled_rows = pd.concat([frame[order] for frame in frames.values()], ignore_index=True)
    pooled = estimator.fit(pooled_rows)
    assert_same_fit(fitted, pooled, 1e-12, 0.0)
    for name, rows in federation.transform(fitted).items():
        expected = pooled.transform(frames[name][order])
        assert np.allclose(np.asarray(rows, dtype=float), np.asarray(expected, dtype=float))
    assert_same_transform(fitted, pooled, pooled_rows, 1e-12)
    if notes is not None:
        assert federation.run.notes == notes
    return federation


def _pandas(table):
    return table.to_pandas() if isinstance(table, pl.DataFrame) else table


@pytest.mark.parametrize("order", [("oslo", "bergen"), ("bergen", "oslo")])
@pytest.mark.parametrize(
    "estimator",
    [
        BY_NAME,
        make_pipeline(BY_NAME, MinMaxScaler()),
        make_union(BY_NAME, make_column_transformer((MinMaxScaler(), ["visits"]))),
        make_pipeline(make_column_transformer(("passthrough", ["age"])), MinMaxScaler()),
        make_column_transformer((StandardScaler(), make_column_selector("^age$|^visits$"))),
        make_column_transformer((StandardScaler(), lambda X: [c for c in X if c != "sex"])),
        make_pipeline(
            make_column_transformer(("drop", ["sex"]), (MinMaxScaler(), ["visits", "age"])),
            StandardScaler(),
        ),
    ],
    ids=range(7),
)
def test_columns_that_nothing_takes(estimator, order):
    both = {"oslo": OSLO, "bergen": MORE}
    said = "column 'extra', 'more' of client 'bergen' is left out: not all clients have it, and nothing in the "
    check(estimator, {name: both[name] for name in order}, [said + "pipeline takes it."])


def test_each_has_a_column_of_its_own():
    check(BY_NAME, {"oslo": OSLO.assign(ward=1), "bergen": MORE, "turku": people(9, 2)})


def test_positions_mean_the_columns_that_all_have():
    check(make_column_transformer((StandardScaler(), [0])), {"oslo": OSLO, "bergen": MORE})


@pytest.mark.parametrize(
    ("estimator", "taker"),
    [
        (make_column_transformer((StandardScaler(), NUMBERS)), "StandardScaler"),
        (make_column_transformer((OrdinalEncoder(), TEXTS)), "OrdinalEncoder"),
        (ColumnTransformer([("all", "passthrough", slice(None))]), "all"),
        (make_column_transformer((MinMaxScaler(), ["age"]), remainder="passthrough"), "remainder"),
        (make_column_transformer((MinMaxScaler(), ["age"]), remainder=OrdinalEncoder()), "Ordinal"),
        (make_column_transformer((OrdinalEncoder(), [-1])), "OrdinalEncoder"),
        (OrdinalEncoder(), "OrdinalEncoder"),
        (make_pipeline(OrdinalEncoder(), MinMaxScaler()), "OrdinalEncoder"),
        (make_union(BY_NAME, OrdinalEncoder()), "OrdinalEncoder"),
        (make_union(BY_NAME, "passthrough"), "passthrough"),
    ],
)
def test_a_column_that_would_be_taken(estimator, taker):
    federation = fedps.Federation({"oslo": OSLO, "bergen": MORE})
    with pytest.raises(
        fedps.Disagreement, match=f"client 'oslo' does not.*'{taker}.*would take it"
    ):
        federation.fit(estimator)
    with pytest.raises(fedps.Disagreement, match="would take it"):
        federation.explain(estimator)


@pytest.mark.parametrize(
    ("dtypes", "said"),
    [
        ({"visits": "int8"}, "'visits' is int64 at 'oslo', int8 at 'bergen'"),
        ({"sex": "category"}, "'sex' is "),
        ({"age": "float32", "visits": "Int16"}, "'age' is float64 at 'oslo', float32 at 'bergen'"),
    ],
)
@pytest.mark.parametrize(
    "estimator",
    [
        BY_NAME,
        INT64,
        make_pipeline(
            make_column_transformer(
                (OneHotEncoder(sparse_output=False), TEXTS), ("passthrough", NUMBERS)
            ),
            MinMaxScaler(),
        ),
    ],
    ids=["by name", "int64", "pipeline"],
)
def test_dtypes_that_differ(estimator, dtypes, said):
    federation = check(estimator, {"oslo": OSLO, "bergen": BERGEN.astype(dtypes)})
    taken = [name for name in dtypes if estimator is not INT64 or name == "visits"]
    if estimator is BY_NAME:
        taken = [name for name in taken if name != "visits"]
    notes = federation.run.notes
    assert len(notes) == bool(taken)
    if notes:
        assert notes[0].startswith("dtypes that differ were taken as one: ")
        assert (said in notes[0]) == (said.split("'")[1] in taken)


def test_a_selector_where_one_client_has_polars():
    estimator = make_column_transformer((StandardScaler(), NUMBERS), (OrdinalEncoder(), ["sex"]))
    check(estimator, {"oslo": OSLO, "bergen": pl.from_pandas(BERGEN)}, [])


def test_bool_beside_nullable_bool():
    both = {"oslo": OSLO, "bergen": BERGEN}
    flags = {name: table.assign(sex=table["sex"] == "m") for name, table in both.items()}
    flags["bergen"] = flags["bergen"].astype({"sex": "boolean"})
    check(make_column_transformer((OneHotEncoder(sparse_output=False), ["sex"])), flags, [])


def test_many_differences_are_counted():
    wide = pd.DataFrame({f"c{i}": np.arange(9.0) for i in range(12)})
    federation = fedps.Federation({"oslo": wide, "bergen": wide.astype("float32")})
    federation.fit(StandardScaler())
    assert federation.run.notes[0].endswith("(and 7 more columns: federation.schema shows them).")

"""A ColumnTransformer's columns find their owners, however they are chosen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    LabelEncoder,
    MinMaxScaler,
    Normalizer,
    OrdinalEncoder,
    StandardScaler,
)

import fedps
from tests.twins.columns.models import quietly, related, with_gaps
from tests.twins.columns.owners import FEATURES, federation, people, side_by_side, split

CHOICES = {
    "names": ["age", "visits", "income"],
    "positions": [0, 3, 4],
    "from the end": [0, -3, -2],
    "slice": slice(2, 5),
    "named slice": slice("weight", "income"),
    "truth values": [True, False, False, True, True, False],
    "selector": make_column_selector(dtype_include=np.number),
    "function": lambda table: [name for name in table.columns if name.endswith("e")][:1],
}


@pytest.mark.parametrize("how", CHOICES)
@pytest.mark.parametrize("rest", ["drop", "encode"])
def test_columns_find_their_owners(how, rest):
    table = people()
    chosen = ColumnTransformer(
        [("some", make_pipeline(SimpleImputer(), StandardScaler()), CHOICES[how])],
        remainder="drop" if rest == "drop" else OrdinalEncoder(),
    )
    _, outputs = federation(table).fit_transform(chosen)
    expected = chosen.fit_transform(table[FEATURES])
    found = side_by_side(outputs)
    # each owner has its part of each branch: the same columns in another order
    assert found.shape == expected.shape
    np.testing.assert_array_equal(in_order(found), in_order(expected))


def in_order(cells):
    return cells[:, np.lexsort(np.nan_to_num(cells))]


def test_arrays_are_chosen_by_position_over_all_owners():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(40, 5))
    made = fedps.Federation([table[:, :2], table[:, 2:3], table[:, 3:]], split="columns")
    chosen = ColumnTransformer([("a", MinMaxScaler(), [1, 2, 4]), ("b", StandardScaler(), [0])])
    outputs = made.fit_transform(chosen)[1]
    assert [output.shape[1] for output in outputs] == [2, 1, 1]
    expected = chosen.fit_transform(table)
    np.testing.assert_array_equal(np.hstack(outputs)[:, [0, 2, 3, 1]], expected)


def test_frames_of_two_kinds():
    table = people()
    clients = split(table)
    clients["clinic"] = pl.from_pandas(clients["clinic"])
    made = fedps.Federation(clients, split="columns", key="id", target="label")
    chosen = ColumnTransformer([("a", MinMaxScaler(), ["age", "visits"])])
    outputs = made.fit_transform(chosen)[1]
    np.testing.assert_array_equal(side_by_side(outputs), chosen.fit_transform(table[FEATURES]))


def test_names_come_out_at_each_owner():
    chosen = ColumnTransformer([("n", StandardScaler(), ["age", "income"])]).set_output(
        transform="pandas"
    )
    fitted, outputs = federation().fit_transform(chosen)
    assert outputs["bank"].columns.tolist() == ["n__age"]
    assert fitted["shop"].get_feature_names_out().tolist() == ["n__income"]


def test_a_name_that_nobody_has():
    with pytest.raises(fedps.UsageError) as caught:
        federation().fit(ColumnTransformer([("n", StandardScaler(), ["agee"])]))
    assert str(caught.value) == (
        "the columns of 'n': no client has a column 'agee'. Did you mean 'age'?"
    )
    with pytest.raises(fedps.UsageError, match="some are not among the 6 columns of all clients"):
        federation().fit(ColumnTransformer([("n", StandardScaler(), [77])]))
    with pytest.raises(fedps.UsageError, match=r"Give a list: \['age'\]"):
        federation().fit(ColumnTransformer([("n", StandardScaler(), "age")]))


def test_columns_are_chosen_first():
    chosen = make_pipeline(OrdinalEncoder(), ColumnTransformer([("n", StandardScaler(), ["age"])]))
    with pytest.raises(fedps.NotFederated, match="must be the first step"):
        federation().fit(chosen)


ORDERS = [["city", "grade"], ["grade", "city"]]


@pytest.mark.parametrize("names", ORDERS)
def test_an_item_for_each_column_in_the_order_they_were_named_in(names):
    lists = {"city": ["tromsø", "oslo", "bergen"], "grade": ["b", "a"]}
    encoder = OrdinalEncoder(categories=[lists[name] for name in names])
    chosen = ColumnTransformer([("c", encoder, names)], verbose_feature_names_out=False)
    table = people()
    outputs = federation(table).fit_transform(chosen.set_output(transform="pandas"))[1]
    found = pd.concat(list(outputs.values()), axis=1)[names]
    pd.testing.assert_frame_equal(found, chosen.fit_transform(table[FEATURES]))


@pytest.mark.parametrize("order", ["roman", "arabic", "random"])
def test_regressions_take_columns_in_the_order_they_were_named_in(order):
    table = pd.DataFrame(with_gaps(related(80, 4)[0], 0.2), columns=list("abcd"))
    made = fedps.Federation({"one": table[["a", "b"]], "two": table[["c", "d"]]}, split="columns")
    names = ["d", "a", "c", "b"]
    imputer = IterativeImputer(
        BayesianRidge(tol=1e-12),
        imputation_order=order,
        max_iter=2,
        max_value=[0.5, 1.0, 1.5, 2.0],
        random_state=0,
    )
    chosen = ColumnTransformer([("i", imputer, names)], verbose_feature_names_out=False)
    outputs = quietly(made.fit_transform, chosen.set_output(transform="pandas"))[1]
    found = pd.concat(list(outputs.values()), axis=1)[names]
    expected = quietly(chosen.fit_transform, table)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-10)


def test_weights_of_columns_in_the_order_they_were_named_in():
    X, y = related(40, 3)
    table = pd.DataFrame(X, columns=list("abc"))
    made = fedps.Federation({"one": table[["a"]], "two": (table[["b", "c"]], y)}, split="columns")
    model = KNeighborsRegressor(3, metric="minkowski", metric_params={"w": [1.0, 5.0, 0.1]})
    found = made.predict(made.fit(model))
    np.testing.assert_allclose(found, model.fit(table, y).predict(table), rtol=1e-10)


def test_one_inside_another():
    inner = ColumnTransformer([("s", StandardScaler(), ["income"]), ("m", MinMaxScaler(), [0])])
    chosen = ColumnTransformer([("both", inner, ["visits", "age", "income"])])
    table = people()
    outputs = federation(table).fit_transform(chosen)[1]
    assert [output.shape[1] for output in outputs.values()] == [0, 1, 1]
    expected = chosen.fit_transform(table[FEATURES])
    np.testing.assert_array_equal(side_by_side(outputs), expected[:, [1, 0]])


@pytest.mark.parametrize(
    "step", [StandardScaler(), Normalizer(), KNNImputer(), IterativeImputer(), OrdinalEncoder()]
)
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_an_owner_of_none_of_the_columns(step, kind):
    """A step may leave an owner without columns: the steps after it pass there."""
    table = people()
    clients = split(table)
    if kind == "polars":
        clients["shop"] = pl.from_pandas(clients["shop"])
    made = fedps.Federation(clients, split="columns", key="id", target="label")
    pipe = make_pipeline(ColumnTransformer([("n", MinMaxScaler(), ["age", "visits"])]), step)
    fitted, outputs = made.fit_transform(pipe)
    assert outputs["shop"].shape == (60, 0)
    np.testing.assert_allclose(side_by_side(outputs), pipe.fit_transform(table[FEATURES]))
    assert made.transform(fitted)["shop"].shape == (60, 0)


def test_a_column_that_an_imputer_drops():
    table = people().assign(income=np.nan)
    chosen = ["age", "visits", "weight", "income"]
    owned = {"bank": table[["age"]], "shop": table[["income"]], "c": table[["visits", "weight"]]}
    made = fedps.Federation(owned, split="columns")
    pipe = make_pipeline(SimpleImputer(), Normalizer())
    outputs = quietly(made.fit_transform, pipe)[1]
    assert outputs["shop"].shape == (60, 0)
    expected = quietly(pipe.fit_transform, table[chosen])
    np.testing.assert_allclose(side_by_side(outputs), expected, rtol=1e-12)


def test_lists_of_another_length():
    with pytest.raises(
        fedps.UsageError, match=r"OrdinalEncoder\(categories=...\) has 1 items; all"
    ):
        federation().fit(ColumnTransformer([("c", OrdinalEncoder(categories=[["a"]]), [1, 5])]))


def test_a_selector_where_tables_are_not_pandas():
    table = pl.from_pandas(people())
    made = fedps.Federation([table[["age"]], table[["visits"]]], split="columns")
    chosen = ColumnTransformer([("n", StandardScaler(), make_column_selector(pattern="age"))])
    with pytest.raises(fedps.UsageError, match="a selector needs pandas data frames"):
        made.fit(chosen)


def test_what_is_for_the_target_is_no_step():
    with pytest.raises(fedps.UsageError, match="LabelEncoder is for the target"):
        federation().fit(make_pipeline(LabelEncoder()))


def test_the_output_that_scikit_learn_is_set_to():
    with sklearn.config_context(transform_output="pandas"):
        outputs = federation().fit_transform(OrdinalEncoder())[1]
    assert outputs["bank"].columns.tolist() == ["age", "city"]


def test_imputers_of_which_an_owner_has_no_column():
    """They stay unfitted there, and the owner's part transforms all the same."""
    table = people()
    chosen = ColumnTransformer(
        [
            ("regressions", IterativeImputer(), ["weight"]),
            ("means", SimpleImputer(), ["age", "income"]),
        ]
    )
    made = federation(table)
    fitted, outputs = made.fit_transform(chosen)
    for client, output in made.transform(fitted).items():
        np.testing.assert_array_equal(output, outputs[client])

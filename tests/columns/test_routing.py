"""A ColumnTransformer's columns find their owners, however they are chosen."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OrdinalEncoder, StandardScaler

import fedps
from tests.columns.owners import FEATURES, federation, people, side_by_side, split

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
    with pytest.raises(fedps.UsageError, match="some are not among the 6 of all clients"):
        federation().fit(ColumnTransformer([("n", StandardScaler(), [77])]))
    with pytest.raises(fedps.UsageError, match=r"Give a list: \['age'\]"):
        federation().fit(ColumnTransformer([("n", StandardScaler(), "age")]))


def test_columns_are_chosen_first():
    chosen = make_pipeline(OrdinalEncoder(), ColumnTransformer([("n", StandardScaler(), ["age"])]))
    with pytest.raises(fedps.NotFederated, match="must come first"):
        federation().fit(chosen)

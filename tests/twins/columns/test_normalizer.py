"""A Normalizer across owners divides by the norms of whole rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

import fedps
from tests.twins.columns.owners import FEATURES, NUMBERS, dense, federation, people, side_by_side


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize(
    "kind", ["doubles", "float32", "whole", "sparse", "matrix", "zeros", "huge"]
)
def test_rows_have_the_pooled_norm(norm, kind):
    rng = np.random.default_rng(1)
    table = rng.normal(size=(50, 6))
    if kind == "float32":
        table = table.astype(np.float32)
    elif kind == "whole":
        table = rng.integers(-5, 6, (50, 6))
    elif kind in ("sparse", "matrix", "zeros"):
        table[rng.random((50, 6)) < 0.6] = 0.0
        table[3] = 0.0
    elif kind == "huge":
        table *= 1e140
    parts = [table[:, :1], table[:, 1:4], table[:, 4:]]
    if kind == "sparse":
        parts = [sparse.csr_array(part) for part in parts]
    elif kind == "matrix":
        parts = [sparse.csr_matrix(part) for part in parts]
    made = fedps.Federation(parts, split="columns")
    fitted, outputs = made.fit_transform(Normalizer(norm=norm))
    found = np.hstack([dense(output) for output in outputs])
    rtol = 1e-6 if kind == "float32" else 1e-14
    np.testing.assert_allclose(found, Normalizer(norm=norm).fit_transform(table), rtol=rtol)
    assert made.run.rounds == 1
    assert outputs[0].dtype == Normalizer().fit_transform(table).dtype
    again = made.transform(fitted)
    np.testing.assert_array_equal(dense(again[1]), dense(outputs[1]))


def test_norms_of_what_came_before_and_after():
    table = people()
    pipe = make_pipeline(StandardScaler(), Normalizer(), MinMaxScaler())
    some = ColumnTransformer([("n", pipe, NUMBERS)], remainder="drop")
    made = federation(table)
    _, outputs = made.fit_transform(some)
    np.testing.assert_allclose(
        side_by_side(outputs), some.fit_transform(table[FEATURES]), rtol=1e-12, atol=1e-12
    )
    assert made.run.rounds == 1
    (ask,) = made.run.asks
    assert (ask.statistic, ask.level, ask.columns) == ("RowNorms", "ROWS", tuple(NUMBERS))


def test_two_in_a_row_take_two_rounds_and_side_by_side_one():
    made = federation()
    made.fit(ColumnTransformer([("n", make_pipeline(Normalizer(), Normalizer("l1")), NUMBERS)]))
    assert made.run.rounds == 2
    made.fit(ColumnTransformer([(n, Normalizer(n), NUMBERS) for n in ("l1", "l2", "max")]))
    assert made.run.rounds == 1


def test_columns_of_one_owner_need_nobody():
    made = federation()
    fitted = made.fit(ColumnTransformer([("n", Normalizer(), ["income"])]))
    assert made.run.rounds == 0
    assert type(fitted["shop"].named_transformers_["n"]) is Normalizer


def test_a_policy_that_shows_no_rows_refuses():
    made = federation(policy=fedps.Policy())
    with pytest.raises(fedps.Refused) as caught:
        made.fit(ColumnTransformer([("n", Normalizer(), NUMBERS)]))
    assert "this needs ROWS. It would show the server: for each single row" in str(caught.value)


def test_missing_cells_and_infinities():
    made = federation()
    with pytest.raises(fedps.ClientError, match="'clinic' has missing values in column 'weight'"):
        made.fit(ColumnTransformer([("n", Normalizer(), ["age", "weight"])]))
    table = people()
    table.loc[3, "income"] = np.inf
    with pytest.raises(fedps.ClientError, match="'shop' has an infinite"):
        federation(table).fit(ColumnTransformer([("n", Normalizer(), ["age", "income"])]))


def test_other_rows_need_everyone():
    table = people()[["id", "age", "visits"]]
    clients = {"a": table[["id", "age"]], "b": table[["id", "visits"]]}
    fitted = fedps.Federation(clients, split="columns", key="id").fit(Normalizer())
    with pytest.raises(ValueError, match="knows the 60 rows that it was fitted on, and got 3"):
        fitted["a"].transform(table[["age"]].iloc[:3])

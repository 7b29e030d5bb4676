"""Mistakes with functions: of columns that look at cells, and of rows that look at other rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import fedps
from tests.mistakes.mistake import federation, of_numbers, on, table, told

WAY = (
    'Name the columns, such as ["age", "sex"], or choose them by name or dtype with '
    "make_column_selector."
)
LEARN = (
    "Let an estimator learn it from all clients, such as StandardScaler(with_std=False) for X - X.mean() "
    "or SimpleImputer for X.fillna(X.median()), or write the function so that it needs no other rows. If "
    "it does work row by row on the clients' cells, say so: "
)


def asked(made):
    """What the clients were asked, as their ledgers have it."""
    return {entry.statistic for own in made.ledgers.values() for entry in own.entries}


def few_values(frame):
    return [name for name in frame if frame[name].nunique() < 10]


def centred(rows):
    return rows - rows.mean()


def test_columns_with_few_values():
    made = federation()
    with told(
        fedps.NotFederated,
        "the columns of 'x' are chosen by a function that looks at how many distinct values a column has: "
        "it chooses other columns where only that differs, and no one sees the cells of all clients. "
        f"{WAY}",
    ):
        made.fit(ColumnTransformer([("x", OneHotEncoder(), few_values)]))
    assert asked(made) == {"Schema"}


def test_columns_with_gaps():
    made = federation()
    with told(
        fedps.NotFederated,
        "the columns of 'x' are chosen by a function that looks at which cells are missing: it chooses "
        f"other columns where only that differs, and no one sees the cells of all clients. {WAY}",
    ):
        made.fit(ColumnTransformer([("x", SimpleImputer(), lambda X: X.columns[X.isna().any()])]))
    assert asked(made) == {"Schema"}


def test_columns_in_explain():
    with pytest.raises(fedps.NotFederated, match="how many distinct values"):
        federation().explain(on(few_values))


def test_columns_across_owners():
    left, right = table()[["age"]], table()[["chol", "city"]]
    made = fedps.Federation({"oslo": left, "bergen": right}, split="columns")
    with pytest.raises(fedps.NotFederated, match="how many distinct values"):
        made.fit(on(few_values))
    with pytest.raises(fedps.NotFederated, match="how many distinct values"):
        made.explain(on(few_values))


def test_a_function_of_columns_that_fails():
    with told(
        fedps.UsageError,
        "the columns of 'standardscaler' are chosen by a function that fails with KeyError on every table "
        "with the clients' columns. Name the columns, or use make_column_selector.",
    ):
        federation().fit(on(lambda frame: frame["agee"]))


def test_a_function_of_all_rows():
    made = of_numbers()
    with told(
        fedps.NotFederated,
        "FunctionTransformer(centred) runs its function at each client, on its own rows only, and it does "
        "not work row by row: tried on made-up rows, it gives other output where some rows are taken "
        f"away. {LEARN}FunctionTransformer(fedps.row_by_row(centred)).",
    ):
        made.fit(FunctionTransformer(centred))
    assert asked(made) == {"Schema"}


def test_a_function_of_all_rows_after_other_steps():
    made = of_numbers()
    steps = make_pipeline(SimpleImputer(), StandardScaler(), FunctionTransformer(centred))
    with told(
        fedps.NotFederated,
        "FunctionTransformer(centred) of 'functiontransformer' runs its function at each client, on its own "
        "rows only, and it does not work row by row: tried on made-up rows, it gives other output where "
        f"some rows are taken away. {LEARN}FunctionTransformer(fedps.row_by_row(centred)).",
    ):
        made.fit(steps)
    assert asked(made) == {"Schema"}
    with pytest.raises(fedps.NotFederated, match="does not work row by row"):
        made.explain(steps)


def test_a_random_function():
    rng = np.random.default_rng(0)
    with told(
        fedps.NotFederated,
        "FunctionTransformer(<lambda>) of 'functiontransformer' runs its function at each client, on its "
        "own rows only, and it does not work row by row: tried on made-up rows, it gives different output "
        "for the same rows each time. Draw the numbers once, into a column of each client's table. If it "
        "does work row by row on the clients' cells, say so: "
        "FunctionTransformer(fedps.row_by_row(...)).",
    ):
        of_numbers().fit(
            make_pipeline(FunctionTransformer(lambda X: X + rng.random(X.shape)), StandardScaler())
        )


def test_a_function_that_leaves_out_rows():
    with told(
        fedps.NotFederated,
        "FunctionTransformer(dropna) of 'functiontransformer' runs its function at each client, on its own "
        "rows only, and it does not work row by row: tried on made-up rows, it leaves rows out, or makes "
        "several of one. What comes after it needs one row for each: do that in each client's table before "
        "the fit. If it does work row by row on the clients' cells, say so: "
        "FunctionTransformer(fedps.row_by_row(dropna)).",
    ):
        of_numbers().fit(make_pipeline(FunctionTransformer(pd.DataFrame.dropna), StandardScaler()))


def test_a_function_that_cannot_read_made_up_cells():
    codes = pd.DataFrame({"code": ["A/1", "B/2"]})

    def number(cells):
        return cells.map(lambda code: int(code.split("/")[1]))

    made = fedps.Federation({"oslo": codes, "bergen": codes})
    with told(
        fedps.NotFederated,
        "FunctionTransformer(number) runs its function at each client, on its own rows only. FedPS cannot "
        "tell whether it works row by row: it fails with IndexError on all made-up rows with these columns "
        "and dtypes. If it does, say so: FunctionTransformer(fedps.row_by_row(number)).",
    ):
        made.fit(FunctionTransformer(number))
    fitted = made.fit(FunctionTransformer(fedps.row_by_row(number)))
    assert made.transform(fitted)["oslo"]["code"].tolist() == [1, 2]


def test_weights_of_all_rows():
    with told(
        fedps.NotFederated,
        "KNNImputer(weights=relative) does not weigh the neighbours of each row alone: tried on made-up "
        "distances, it gives other output where some rows are taken away. FedPS calls it for some rows at "
        "a time. Use weights='distance', or a function of each distance.",
    ):

        def relative(distances):
            return 1 - distances / np.nanmax(distances)

        of_numbers().fit(KNNImputer(weights=relative))

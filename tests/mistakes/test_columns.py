"""Mistakes with columns, cells and column selectors."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

import fedps
from tests.mistakes.mistake import NAME, NUMBER, federation, on, table, told


def test_misspelt_column():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no column 'agee', or keep it back by policy. Did you mean "
        "'age'? Check the spelling, or take it out of the estimator.",
    ):
        federation().fit(on(["agee"]))


def test_misspelt_column_in_explain():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no column 'agee', or keep it back by policy. Did you mean "
        "'age'? Check the spelling, or take it out of the estimator.",
    ):
        federation().explain(on(["agee"]))


def test_position_that_does_not_exist():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no column number 9, or keep it back by policy. Check the "
        "spelling, or take it out of the estimator.",
    ):
        federation().fit(on([9]))


def test_one_column_without_a_list():
    with told(
        fedps.UsageError,
        "the columns of 'standardscaler' are given as 'age', which scikit-learn passes on as one "
        "dimension. Give a list: ['age'].",
    ):
        federation().fit(on("age"))


def test_column_missing_at_one_client():
    with told(
        fedps.Disagreement,
        "client 'oslo' offers column 'chol' and client 'bergen' does not (it lacks it, or its policy "
        "keeps it back). 'standardscaler' takes it: add it there, all missing if need be, or leave it out.",
    ):
        federation(chol=None).fit(on(["chol"]))


def test_column_that_only_one_client_has():
    with told(
        fedps.Disagreement,
        "client 'oslo' offers column 'chol' and client 'bergen' does not (it lacks it, or its policy "
        "keeps it back), and 'OrdinalEncoder' would take it. Drop it at 'oslo': "
        "table.drop(columns=['chol']). Or name the columns in a ColumnTransformer, or add it at 'bergen', "
        "all missing if need be.",
    ):
        federation(chol=None).fit(OrdinalEncoder())


@pytest.mark.parametrize("name", ["Chol", "chol ", " CHOL", "ch_ol"])
def test_column_that_is_spelt_differently(name):
    with told(
        fedps.Disagreement,
        f"client 'oslo' has a column 'chol' and client 'bergen' has {name!r}. If they are the same, rename "
        f"it at 'bergen': table.rename(columns={{{name!r}: 'chol'}}).",
    ):
        federation(chol=None, **{name: [1.0, 2.0, 3.0]}).fit(on(["chol"]))


def test_string_in_a_column_of_numbers():
    with told(
        fedps.ClientError,
        "client 'bergen' has cells in column 'age' that are not numbers, so Moments cannot be "
        "computed. Clean the column there, encode it as categories, or leave it out.",
    ):
        federation(age=[30.0, NAME, NUMBER]).fit(on(["age"]))


def test_scaling_a_table_with_text():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have cells in column 'city' that are not numbers, so Moments "
        "cannot be computed. Clean the column there, encode it as categories, or leave it out.",
    ):
        federation().fit(StandardScaler())


def test_dtype_off_at_one_client():
    with told(
        fedps.Disagreement,
        "column 'age' holds numbers at client 'oslo' (float64) and text at client 'bergen' (string). Read "
        "it as text everywhere, dtypes={'age': 'str'} (which keeps the zeros of a code only if the file is "
        "read so), or as numbers where it is text, or drop it.",
    ):
        federation(age=pd.array(["30", "40", NAME], dtype="string")).fit(on(["age"]))


def test_infinity():
    with told(
        fedps.ClientError,
        "client 'bergen' has an infinite or too large number in column 'age'. Replace it there with a "
        "missing value or with a bound.",
    ):
        federation(age=[30.0, np.inf, NUMBER]).fit(on(["age"], MinMaxScaler()))


def test_numbers_too_large_to_square():
    with told(
        fedps.ClientError,
        "client 'bergen' has numbers in column 'age' that are too large to square. Rescale the "
        "column there.",
    ):
        federation(age=[30.0, 1e300, NUMBER]).fit(on(["age"]))


def test_missing_values_where_none_may_be():
    with told(
        fedps.ClientError,
        "client 'bergen' has missing values in column 'age', which this estimator does not accept. "
        "Impute them first, for instance with SimpleImputer in a Pipeline.",
    ):
        federation(age=[30.0, np.nan, NUMBER]).fit(on(["age"], Normalizer()))


def test_categories_of_mixed_types():
    with told(
        fedps.ClientError,
        "client 'bergen' has cells of mixed types in column 'city': Categories needs all text or "
        "all numbers. Convert the column there, for instance with astype(str).",
    ):
        federation(city=["oslo", 3, NAME]).fit(on(["city"], OneHotEncoder()))


def test_text_at_one_client_and_numbers_at_another():
    cells = np.array([1, 2, NUMBER], dtype=object)
    with told(
        fedps.Disagreement,
        "column 'city' holds text at one of the clients 'oslo' and 'bergen' and numbers at the "
        "other. Read it as text at both, dtypes={'city': 'str'}, or convert it at one of them.",
    ):
        clients = {"oslo": table(city=np.array(["a", "b", NAME], dtype=object))}
        clients["bergen"] = table(city=cells)
        fedps.fit(on(["city"], OneHotEncoder()), clients)


def test_category_that_was_not_given():
    with told(
        fedps.ClientError,
        "client 'oslo' has cells in column 'city' that are not among the given categories. Add them "
        "to categories=, or set handle_unknown= to something other than 'error'.",
    ):
        encoder = OneHotEncoder(categories=[["oslo", "bergen"]])
        federation(city=["oslo", "oslo", "bergen"]).fit(on(["city"], encoder))


def test_categories_given_for_another_number_of_columns():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have a different number of columns than the estimator was given "
        "categories for. Give one list of categories per column.",
    ):
        federation().fit(on(["city"], OrdinalEncoder(categories=[["oslo"], ["bergen"]])))


def test_arrays_have_columns_by_number():
    with told(
        fedps.ClientError,
        "client 'client 2' has an infinite or too large number in column 1. Replace it there with a "
        "missing value or with a bound.",
    ):
        fedps.fit(StandardScaler(), [np.ones((3, 2)), np.array([[1.0, np.inf], [NUMBER, 1.0]])])


# Column selectors


def test_function_that_chooses_columns():
    fitted = federation().fit(on(lambda frame: [name for name in frame if name == "chol"]))
    assert fitted.named_transformers_["standardscaler"].mean_.tolist() == [2.0]


def test_function_that_chooses_a_column_that_is_not_there():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no column 'agee', or keep it back by policy. Did you mean "
        "'age'? Check the spelling, or take it out of the estimator.",
    ):
        federation().fit(on(lambda _: ["agee"]))


def test_function_that_chooses_columns_of_a_derived_table():
    first = on(["age", "chol"]).set_output(transform="pandas")
    second = make_column_transformer((MinMaxScaler(), lambda frame: list(frame.columns)))
    with told(
        fedps.UsageError,
        "the columns of 'minmaxscaler' are chosen by a function of a derived table, which the "
        "server never sees. Name them, or use make_column_selector.",
    ):
        federation().fit(make_pipeline(first, second))


def test_selector_without_data_frames():
    with told(
        fedps.ClientError,
        "client 'client 1' cannot select columns by make_column_selector, which needs pandas data "
        "frames. Name the columns instead.",
    ):
        fedps.fit(on(make_column_selector(dtype_include=float)), [np.full((2, 1), NUMBER)])

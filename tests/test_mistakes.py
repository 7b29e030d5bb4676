"""Mistakes that everybody makes once: each error says who, which column, which rule and the way out.

The tables hold a name and a number that nobody else may see. They must not be in any error, nor in
the errors that it was raised from: an error is copied into logs, tickets and messages.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelEncoder,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

import fedps

NAME = "J. Smith"
NUMBER = 987654.321
SECRETS = (NAME, "Smith", "987654")

SUPPORTED = (
    "Binarizer, ColumnTransformer, FeatureUnion, FrozenEstimator, FunctionTransformer, "
    "LabelBinarizer, LabelEncoder, MaxAbsScaler, MinMaxScaler, MissingIndicator, "
    "MultiLabelBinarizer, Normalizer, OneHotEncoder, OrdinalEncoder, Pipeline, PolynomialFeatures, "
    "SimpleImputer, StandardScaler"
)


def table(**changes):
    """A client's table, with some columns replaced, or left out where None is given."""
    columns = {
        "age": [30.0, 40.0, NUMBER],
        "chol": [1.0, 2.0, 3.0],
        "city": ["oslo", "bergen", NAME],
        "income": ["low", "high", NAME],
    } | changes
    return pd.DataFrame({name: cells for name, cells in columns.items() if cells is not None})


def federation(*, target=None, policy=None, **changes):
    """Two clients; the changes are those of the second."""
    clients = {"oslo": table(), "bergen": table(**changes)}
    return fedps.Federation(clients, target=target, policy=policy)


def of_numbers(**changes):
    clients = {"oslo": table()[["age", "chol"]], "bergen": table(**changes)[["age", "chol"]]}
    return fedps.Federation(clients)


def on(columns, estimator=None):
    """A ColumnTransformer of one branch."""
    return make_column_transformer((estimator or StandardScaler(), columns))


@contextmanager
def told(kind: type[Exception], message: str) -> Iterator[None]:
    """Expect an error with exactly this text, and no secret in it or behind it."""
    with pytest.raises(kind) as caught:
        yield
    assert type(caught.value) is kind
    for error in everything_behind(caught.value):
        shown = f"{error} {error!r} {error.args} {getattr(error, '__notes__', '')}"
        assert not any(secret in shown for secret in SECRETS), type(error)
    assert str(caught.value) == message


def everything_behind(error: BaseException | None) -> list[BaseException]:
    """The error, its causes and its contexts, suppressed ones included."""
    if error is None:
        return []
    behind = [*everything_behind(error.__cause__), *everything_behind(error.__context__)]
    return [error, *behind]


# Columns and cells


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
        "keeps it back). Add it there, empty if need be, or drop it everywhere.",
    ):
        federation(chol=None).fit(on(["age"]))


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
        "column 'age' holds numbers at client 'oslo' and text at client 'bergen'. Convert it at one "
        "of them, or drop it at both.",
    ):
        federation(age=pd.array(["30", "40", NAME], dtype="string")).fit(on(["age"]))


def test_infinity():
    with told(
        fedps.ClientError,
        "client 'bergen' has an infinite or too large number in column 'age'. Replace it there by a "
        "missing value or by a bound.",
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
        "client 'bergen' has missing values in column 'age', which this estimator does not take. "
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
        "other. Convert it at one of them.",
    ):
        clients = {"oslo": table(city=np.array(["a", "b", NAME], dtype=object))}
        clients["bergen"] = table(city=cells)
        fedps.fit(on(["city"], OneHotEncoder()), clients)


def test_category_that_was_not_given():
    with told(
        fedps.ClientError,
        "client 'oslo' has cells in column 'city' that are not among the given categories. Add them "
        "to categories=, or set handle_unknown= to something else than 'error'.",
    ):
        encoder = OneHotEncoder(categories=[["oslo", "bergen"]])
        federation(city=["oslo", "oslo", "bergen"]).fit(on(["city"], encoder))


def test_categories_given_for_another_number_of_columns():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have another number of columns than the estimator was given "
        "categories for. Give one list of categories per column.",
    ):
        federation().fit(on(["city"], OrdinalEncoder(categories=[["oslo"], ["bergen"]])))


def test_arrays_have_columns_by_number():
    with told(
        fedps.ClientError,
        "client 'client 2' has an infinite or too large number in column 1. Replace it there by a "
        "missing value or by a bound.",
    ):
        fedps.fit(StandardScaler(), [np.ones((3, 2)), np.array([[1.0, np.inf], [NUMBER, 1.0]])])


# Clients


def test_empty_federation():
    with told(fedps.UsageError, "a federation needs at least one client; none was given."):
        fedps.Federation({})


def test_duplicate_names():
    with told(fedps.UsageError, "two clients are called 'oslo'. Give each a name of its own."):
        fedps.Federation([("oslo", table()), ("oslo", table())])


def test_one_table_instead_of_clients():
    with told(
        fedps.UsageError,
        "clients is a DataFrame: give a dict of tables, a list of tables, or a transport.",
    ):
        fedps.Federation(table())


def test_wrong_split():
    with told(
        fedps.UsageError,
        "split='columns' is not known: 'rows' is what there is (each client holds some rows of the "
        "same columns).",
    ):
        fedps.Federation({"oslo": table()}, split="columns")


def test_no_rows_anywhere():
    with told(
        fedps.Disagreement,
        "no client has any rows: 'oslo', 'bergen'. Check what was loaded there.",
    ):
        fedps.fit(on(["age"]), {"oslo": table()[:0], "bergen": table()[:0]})


def test_lazy_frame():
    with told(
        fedps.UsageError,
        "client 'oslo': a polars LazyFrame holds no rows yet. Pass the result of its .collect().",
    ):
        fedps.Federation({"oslo": pl.DataFrame({"age": [NUMBER]}).lazy()})


def test_what_is_not_a_table():
    with told(
        fedps.UsageError,
        "client 'oslo': dict is not a table. Pass a pandas or polars DataFrame, a pyarrow Table, a "
        "2-D NumPy array or list of lists, a scipy sparse matrix, the path of Parquet or CSV files, "
        "or a pair (X, y).",
    ):
        fedps.Federation({"oslo": {"age": [NUMBER], "city": [NAME]}})


def test_file_that_does_not_exist():
    with told(fedps.UsageError, "client 'oslo': there is no file 'nowhere.csv'."):
        fedps.Federation({"oslo": "nowhere.csv"})


def test_names_at_one_client_only():
    with told(
        fedps.Disagreement,
        "client 'client 2' has column names and client 'client 1' has none. Give all clients data "
        "frames, or all of them arrays.",
    ):
        fedps.fit(StandardScaler(), [np.full((2, 1), NUMBER), table()[["age"]]])


# Estimators


def test_unknown_estimator():
    with told(fedps.NotFederated, f"FedPS cannot federate PCA (yet). It can: {SUPPORTED}."):
        federation().fit(make_pipeline(StandardScaler(), PCA()))


def test_estimator_that_is_not_there_yet():
    with told(
        fedps.NotFederated, f"FedPS cannot federate RobustScaler (yet). It can: {SUPPORTED}."
    ):
        federation().fit(on(["age"], RobustScaler()))


def test_parameter_that_is_not_there_yet():
    with told(
        fedps.NotFederated,
        "SimpleImputer(strategy='median') has no federated form here. Use one of mean, "
        "most_frequent, constant.",
    ):
        federation().fit(on(["age"], SimpleImputer(strategy="median")))


def test_class_instead_of_instance():
    with told(fedps.NotFederated, "StandardScaler is a class: give an instance, StandardScaler()."):
        federation().fit(StandardScaler)


@pytest.mark.parametrize("something", ["StandardScaler", None, 3], ids=repr)
def test_not_an_estimator(something):
    with told(fedps.NotFederated, f"{something!r} is not a scikit-learn estimator."):
        federation().fit(something)


def test_unfitted_transform():
    with told(
        fedps.UsageError,
        "this StandardScaler is not fitted. fit returns the fitted one and leaves its argument as it "
        "was: fitted = federation.fit(...), then federation.transform(fitted).",
    ):
        federation().transform(StandardScaler())


def test_transform_of_a_category_that_the_fit_did_not_see():
    fitted = fedps.fit(on(["city"], OneHotEncoder()), [table(city=["oslo", "bergen", "oslo"])])
    with told(
        fedps.ClientError,
        "client 'oslo': ColumnTransformer.transform failed on its rows with ValueError. The logger "
        "'fedps.client' has the reason at level DEBUG.",
    ):
        federation().transform(fitted)


def test_run_before_fit():
    with told(fedps.UsageError, "nothing has run yet: call fit first."):
        federation().run  # noqa: B018 - it raises


def test_function_that_fails():
    def fails(cells):
        raise ValueError(f"cannot do this with {cells}, {NAME}")

    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' cannot rebuild 'FunctionTransformer': a function in it fails "
        "there, or the versions of scikit-learn or fedps differ. The logger 'fedps.client' has the "
        "reason at level DEBUG.",
    ):
        of_numbers().fit(make_pipeline(FunctionTransformer(fails), StandardScaler()))


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
        "client 'client 1' cannot choose columns by a selector: make_column_selector needs pandas "
        "data frames. Name the columns instead.",
    ):
        fedps.fit(on(make_column_selector(dtype_include=float)), [np.full((2, 1), NUMBER)])


def test_selector_that_clients_understand_differently():
    with told(
        fedps.Disagreement,
        "a column selector chooses different columns at clients 'oslo' and 'bergen': their dtypes "
        "differ. Name the columns, or convert them.",
    ):
        federation(chol=[1, 2, 3]).fit(on(make_column_selector(dtype_include=float)))


# Targets and weights


def test_missing_target():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no target. Name the column with Federation(..., "
        "target='column'), or give (X, y) pairs.",
    ):
        federation().fit(LabelEncoder())


def test_missing_target_at_one_client():
    with told(
        fedps.ClientError,
        "client 'client 2' has no target. Name the column with Federation(..., target='column'), or "
        "give (X, y) pairs.",
    ):
        clients = [(table()[["age"]], ["low", "high", NAME]), table()[["age"]]]
        fedps.fit(LabelEncoder(), clients)


def test_misspelt_target():
    with told(
        fedps.UsageError,
        "client 'oslo': target: the table has no column 'incme'. Did you mean 'income'?",
    ):
        federation(target="incme")


def test_target_that_one_client_lacks():
    with told(
        fedps.UsageError,
        "client 'bergen': target: the table has no column 'income'. It has age, chol, city.",
    ):
        federation(target="income", income=None)


def test_labels_on_columns():
    with told(
        fedps.UsageError,
        "LabelEncoder is for the target: fit it on its own, not on columns.",
    ):
        federation().fit(on(["city"], LabelEncoder()))


def test_misspelt_sample_weight():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no column 'chl', or keep it back by policy. Check the "
        "spelling, or take it out of the estimator.",
    ):
        of_numbers().fit(StandardScaler(), sample_weight="chl")


@pytest.mark.parametrize(
    "weight", [-NUMBER, np.nan, np.inf, NAME], ids=["<0", "nan", "inf", "text"]
)
def test_bad_sample_weight(weight):
    with told(
        fedps.ClientError,
        "client 'bergen' has row weights in column 'chol' that are missing, negative, infinite or "
        "no numbers. Correct them there.",
    ):
        of_numbers(chol=[1.0, 2.0, weight]).fit(StandardScaler(), sample_weight="chol")


def test_weights_instead_of_a_column():
    with told(
        fedps.UsageError,
        "sample_weight is a list: name the column that holds the row weights at each client.",
    ):
        of_numbers().fit(StandardScaler(), sample_weight=[1.0, 2.0, NUMBER])


def test_weights_that_the_estimator_does_not_take():
    with told(
        fedps.UsageError, "MinMaxScaler.fit takes no sample_weight here. StandardScaler does."
    ):
        of_numbers().fit(MinMaxScaler(), sample_weight="chol")


# Policies


def test_policy_that_refuses_the_level():
    with told(
        fedps.Refused,
        "clients 'oslo' and 'bergen' refused Extremes on column 'age': the policy there (level) "
        "allows AGGREGATE, this needs SUMMARY. Leave the column out, or ask the data owner.",
    ):
        policy = fedps.Policy(level="AGGREGATE", min_rows=0)
        federation(policy=policy).fit(on(["age"], MinMaxScaler()))


def test_policy_that_refuses_few_rows():
    with told(
        fedps.Refused,
        "client 'bergen' refused to take part: the policy there (min_rows) needs 10 rows and there "
        "are fewer. Leave the client out, or ask the data owner.",
    ):
        federation(policy={"bergen": fedps.Policy()}).fit(on(["age"]))


def test_policy_that_refuses_few_values():
    with told(
        fedps.Refused,
        "client 'bergen' refused Moments on column 'age': the policy there (min_rows) needs 3 values "
        "in a column and there are fewer. Leave the column out, or ask the data owner.",
    ):
        policy = {"bergen": fedps.Policy(min_rows=3)}
        federation(policy=policy, age=[30.0, np.nan, NUMBER]).fit(on(["age"]))


def test_policy_that_keeps_a_column_back_at_one_client():
    with told(
        fedps.Disagreement,
        "client 'oslo' offers column 'age' and client 'bergen' does not (it lacks it, or its policy "
        "keeps it back). Add it there, empty if need be, or drop it everywhere.",
    ):
        policy = {"bergen": fedps.Policy(min_rows=0, deny=["age"])}
        federation(policy=policy).fit(on(["age"]))


def test_policy_that_keeps_a_column_back_everywhere():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no column 'age', or keep it back by policy. Check the "
        "spelling, or take it out of the estimator.",
    ):
        federation(policy=fedps.Policy(min_rows=0, deny=["age"])).fit(on(["age"]))


def test_policy_that_keeps_the_target_back():
    with told(
        fedps.Refused,
        "clients 'oslo' and 'bergen' refused Categories on column 'income': the policy there "
        "(columns) keeps it back. Leave the column out, or ask the data owner.",
    ):
        policy = fedps.Policy(min_rows=0, deny=["income"])
        federation(target="income", policy=policy).fit(LabelEncoder())


def test_policy_that_does_not_refuse_few_categories_of_many_rows():
    many = pd.DataFrame({"sex": ["f", "m"] * 50})
    fedps.fit(OneHotEncoder(), {"oslo": many, "bergen": many}, policy=fedps.Policy())


def test_policy_of_a_client_that_does_not_exist():
    with told(
        fedps.UsageError,
        "there is a policy for 'oslp', which is no client. Did you mean 'oslo'?",
    ):
        federation(policy={"oslp": fedps.Policy()})


def test_level_that_does_not_exist():
    with told(fedps.UsageError, "a policy's level is one of AGGREGATE, SUMMARY, ROWS; got 'low'."):
        fedps.Policy(level="low")


def test_word_instead_of_a_policy():
    with told(
        fedps.UsageError,
        "a policy is a str: give fedps.Policy(...), or a dict of them by client.",
    ):
        federation(policy="AGGREGATE")


def test_one_column_instead_of_a_list_in_a_policy():
    with told(fedps.UsageError, "a policy's deny is a list of names, not one name."):
        fedps.Policy(deny="age")

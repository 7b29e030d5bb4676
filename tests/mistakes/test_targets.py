"""Mistakes with targets and row weights."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import (
    KBinsDiscretizer,
    LabelBinarizer,
    LabelEncoder,
    MinMaxScaler,
    SplineTransformer,
    StandardScaler,
)

import fedps
from tests.mistakes.mistake import NAME, NUMBER, federation, of_numbers, on, table, told


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
        "clients 'oslo' and 'bergen' have no column 'chl', or keep it back by policy. Did you mean "
        "'chol'? Check the spelling, or take it out of the estimator.",
    ):
        of_numbers().fit(StandardScaler(), sample_weight="chl")


@pytest.mark.parametrize(
    "weight", [-NUMBER, np.nan, np.inf, NAME], ids=["<0", "nan", "inf", "text"]
)
def test_bad_sample_weight(weight):
    with told(
        fedps.ClientError,
        "client 'bergen' has row weights in column 'chol' that are missing, negative, infinite or "
        "not numbers. Correct them there.",
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
        fedps.UsageError,
        "FedPS does not support sample_weight for MinMaxScaler. It does for BayesianRidge, "
        "KBinsDiscretizer, SplineTransformer, StandardScaler.",
    ):
        of_numbers().fit(MinMaxScaler(), sample_weight="chol")


def test_weights_of_quantiles():
    with told(
        fedps.UsageError,
        "FedPS does not support sample_weight for KBinsDiscretizer(strategy='quantile'). Weighted quantiles "
        "add up the weights of all rows in the order of their values: each client would have to show the "
        "weight of each row beside its value. If weights are whole numbers, repeat the rows there; "
        "strategy='uniform' takes any weights.",
    ):
        of_numbers().fit(KBinsDiscretizer(), sample_weight="chol")


def test_weights_of_clusters():
    with told(
        fedps.UsageError,
        "FedPS does not support sample_weight for KBinsDiscretizer(strategy='kmeans'). k-means moves a "
        "cluster that is left empty to the row farthest from its own, by that row's weight: its client "
        "would have to show the weight of a single row beside its value. If weights are whole numbers, "
        "repeat the rows there; strategy='uniform' takes any weights.",
    ):
        of_numbers().fit(KBinsDiscretizer(strategy="kmeans"), sample_weight="chol")


def test_weights_that_draw_rows():
    with told(
        fedps.UsageError,
        "KBinsDiscretizer(subsample=2) with sample_weight draws rows by the weights of all 6 rows, one "
        "after the other, and these stay with the clients. Set subsample=None.",
    ):
        binner = KBinsDiscretizer(strategy="uniform", subsample=2)
        of_numbers().fit(binner, sample_weight="chol")


@pytest.mark.parametrize("estimator", [KBinsDiscretizer(strategy="uniform"), SplineTransformer()])
def test_weights_of_nothing(estimator):
    with told(fedps.UsageError, "no row with a value has a weight above 0 in 'w'."):
        clients = [pd.DataFrame({"age": [1.0, 2.0, NUMBER], "w": 0.0})] * 2
        fedps.Federation(clients).fit(estimator, sample_weight="w")


def test_a_continuous_target_for_a_label_binarizer():
    with told(
        fedps.UsageError,
        "the target has numbers that are not whole: LabelBinarizer takes classes. Bin the target first, "
        "or use it as it is.",
    ):
        federation(target="age", age=[1.5, 2.5, NUMBER]).fit(LabelBinarizer())

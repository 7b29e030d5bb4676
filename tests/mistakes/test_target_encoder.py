"""Mistakes with TargetEncoder: the target, the folds, the categories."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    TimeSeriesSplit,
)
from sklearn.preprocessing import TargetEncoder

import fedps
from tests.mistakes.mistake import NAME, NUMBER, federation, on, table, told

LABELS = ["low", "high", "low"]
CITY = ["city"]


def encode(*targets, estimator=None, **options):
    """Fit a TargetEncoder on the cities of clients with these targets."""
    clients = [(table()[CITY], target) for target in targets]
    return fedps.fit(estimator or TargetEncoder(), clients, **options)


@pytest.mark.parametrize("call", ["fit", "fit_transform"])
def test_no_target(call):
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no target. Name the column with Federation(..., "
        "target='column'), or give (X, y) pairs.",
    ):
        getattr(federation(), call)(on(CITY, TargetEncoder()))


def test_no_target_at_one_client():
    with told(
        fedps.ClientError,
        "client 'client 2' has no target. Name the column with Federation(..., target='column'), or "
        "give (X, y) pairs.",
    ):
        fedps.fit(TargetEncoder(), [(table()[CITY], LABELS), table()[CITY]])


@pytest.mark.parametrize("target", [["low", None, NAME], [NUMBER, np.nan, 1.5]], ids=str)
def test_missing_labels(target):
    with told(
        fedps.ClientError,
        "client 'client 1' has missing values in the target. Leave those rows out, or fill them in.",
    ):
        encode(target)


def test_labels_of_text_and_of_numbers():
    with told(
        fedps.Disagreement,
        "the target is text at one of the clients 'client 1' and 'client 2' and numbers at the "
        "other. Convert it at one of them.",
    ):
        encode(["low", "high", NAME], [1, 2, 987654])


def test_two_targets():
    with told(
        fedps.ClientError,
        "client 'client 1' has a target of more than one column. Give one label or number per row.",
    ):
        encode(np.full((3, 2), NUMBER))


def test_two_classes_are_not_many():
    with told(
        fedps.UsageError,
        "TargetEncoder(target_type='multiclass') needs more than two classes, and the target has "
        "two. Use target_type='binary' or 'auto'.",
    ):
        encode(LABELS, LABELS, estimator=TargetEncoder(target_type="multiclass"))


def test_categories_of_mixed_types():
    clients = [(table(city=["oslo", 3, NAME])[CITY], LABELS)]
    with told(
        fedps.ClientError,
        "client 'client 1' has cells of mixed types in column 'city': ByCategory needs all text or "
        "all numbers. Convert the column there, for instance with astype(str).",
    ):
        fedps.fit(TargetEncoder(), clients)


def test_categories_given_for_another_number_of_columns():
    with told(
        fedps.ClientError,
        "client 'client 1' has a different number of columns than the estimator was given categories "
        "for. Give one list of categories per column.",
    ):
        encode(LABELS, estimator=TargetEncoder(categories=[["oslo"], ["bergen"]]))


# Folds


def takes_splitters():
    """Whether this scikit-learn takes anything but a number of folds."""
    try:
        TargetEncoder(cv=KFold(2)).fit([["a"], ["b"]] * 2, [0, 1] * 2)
    except ValueError:
        return False
    return True


SPLITTERS = [
    GroupKFold(3),
    ShuffleSplit(3),
    TimeSeriesSplit(3),
    RepeatedKFold(),
    StratifiedGroupKFold(2),
]


@pytest.mark.skipif(not takes_splitters(), reason="this scikit-learn takes only numbers of folds")
@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_splitters_that_see_more_than_counts(cv):
    name = type(cv).__name__
    with told(
        fedps.NotFederated,
        f"TargetEncoder(cv={name}(...)) cannot be federated: what {name} does may depend on more "
        "than the number of rows and the order of the classes. Use KFold, StratifiedKFold, "
        "PredefinedSplit, a number of folds, or a list of splits.",
    ):
        federation(target="income").fit_transform(on(CITY, TargetEncoder(cv=cv)))


def test_more_folds_than_rows():
    with told(
        fedps.UsageError,
        "TargetEncoder(cv=...): Cannot have number of splits n_splits=100 greater than the number of "
        "samples: n_samples=6.",
    ):
        federation(target="chol").fit_transform(
            on(CITY, TargetEncoder(cv=100, target_type="continuous"))
        )


def test_more_folds_than_rows_of_any_class():
    with told(
        fedps.UsageError,
        "TargetEncoder(cv=...): n_splits=3 cannot be greater than the number of members in each "
        "class.",
    ):
        federation(target="income").fit_transform(on(CITY, TargetEncoder(cv=3)))

"""What explain says is what happens."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
    TargetEncoder,
)

import fedps
from tests.parts.report.people import NUMBERS, WORDS, impute_scale, people, thirds
from tests.twins.quiet import quiet

CHOICES = {
    "standard": (StandardScaler(), NUMBERS),
    "standard-without": (StandardScaler(with_mean=False, with_std=False), NUMBERS),
    "minmax": (MinMaxScaler(), NUMBERS),
    "maxabs": (MaxAbsScaler(), NUMBERS),
    "normalizer": (Normalizer(), ["chol"]),
    "function": (FunctionTransformer(np.cbrt), NUMBERS),
    "polynomial": (make_pipeline(SimpleImputer(), PolynomialFeatures(), StandardScaler()), NUMBERS),
    "one-hot": (OneHotEncoder(), WORDS),
    "one-hot-frequent": (OneHotEncoder(min_frequency=3), WORDS),
    "one-hot-drop": (OneHotEncoder(drop="first"), WORDS),
    "one-hot-given": (OneHotEncoder(categories=[["bergen", "oslo", "tromsø"]]), ["city"]),
    "ordinal": (OrdinalEncoder(), WORDS),
    "constant": (SimpleImputer(strategy="constant", add_indicator=True), NUMBERS),
    "most-frequent": (SimpleImputer(strategy="most_frequent"), WORDS),
    "indicator": (MissingIndicator(), NUMBERS),
    "frozen": (
        make_pipeline(FrozenEstimator(SimpleImputer().fit(people()[NUMBERS])), StandardScaler()),
        NUMBERS,
    ),
    "union": (make_union(StandardScaler(), MinMaxScaler(), impute_scale()), NUMBERS),
    "names": (make_column_transformer((impute_scale(), NUMBERS), (OneHotEncoder(), WORDS)), None),
    "equal-asks": (
        make_column_transformer(
            (StandardScaler(), NUMBERS), (StandardScaler(with_mean=False), NUMBERS)
        ),
        None,
    ),
    "positions": (make_column_transformer((impute_scale(), [0, 1]), (MinMaxScaler(), [2])), None),
    "slice": (make_column_transformer((impute_scale(), slice("age", "visits"))), None),
    "selectors": (
        make_column_transformer(
            (impute_scale(), make_column_selector(dtype_include=float)),
            (OneHotEncoder(), make_column_selector("city|sex")),
        ),
        None,
    ),
    "function-of-columns": (
        make_column_transformer((impute_scale(), lambda frame: list(frame.columns[:2]))),
        None,
    ),
    "remainder": (
        make_column_transformer((OneHotEncoder(), [*WORDS, "label"]), remainder=impute_scale()),
        None,
    ),
    "passthrough": (
        make_column_transformer((OneHotEncoder(), WORDS), ("passthrough", NUMBERS)),
        None,
    ),
    "nested": (
        make_column_transformer(
            (
                make_column_transformer((StandardScaler(), ["age"]), (MinMaxScaler(), ["chol"])),
                ["chol", "visits", "age"],
            ),
        ),
        None,
    ),
    "chain": (
        make_pipeline(
            make_column_transformer(
                (impute_scale(), NUMBERS), (OneHotEncoder(sparse_output=False), WORDS)
            ),
            StandardScaler(),
            MaxAbsScaler(),
        ),
        None,
    ),
    "sparse-branch": (
        make_column_transformer(
            (make_pipeline(OneHotEncoder(), MaxAbsScaler()), WORDS), (impute_scale(), NUMBERS)
        ),
        None,
    ),
}


def assert_explained(federation, estimator, **options):
    explained = federation.explain(estimator, **options)
    federation.fit(estimator, **options)
    run = federation.run
    assert explained.rounds == run.rounds
    assert [_without_bytes(ask) for ask in explained.asks] == [
        _without_bytes(ask) for ask in run.asks
    ]


def _without_bytes(ask):
    return ask.round, ask.statistic, ask.columns, ask.level, ask.shows


@pytest.mark.parametrize("choice", CHOICES)
def test_explain_matches_the_run(choice):
    estimator, columns = CHOICES[choice]
    assert_explained(fedps.Federation(thirds(people(), columns)), estimator)


OTHER_ORDERS = ["names", "nested", "chain", "remainder", "one-hot-given", "positions", "slice"]


@pytest.mark.parametrize("choice", OTHER_ORDERS)
def test_explain_matches_the_run_with_columns_in_another_order(choice):
    estimator, columns = CHOICES[choice]
    clients = thirds(people(), columns)
    clients["south"] = clients["south"][clients["south"].columns[::-1]]
    assert_explained(fedps.Federation(clients), estimator)


def test_positions_in_another_order_show_what_really_left():
    first = pd.DataFrame({"age": [1.0, 2.0], "name": ["x", "y"]})
    federation = fedps.Federation({"north": first, "south": first[["name", "age"]]})
    estimator = make_column_transformer((OrdinalEncoder(), [0]))
    assert_explained(federation, estimator)
    left = {column for entry in federation.ledgers["south"].entries for column in entry.columns}
    assert left == {"age", "name"}
    assert [ask.columns for ask in federation.run.asks] == [("age", "name"), ("age",)]
    assert federation.run.asks[0].bytes.keys() == {"north", "south"}


@pytest.mark.parametrize("labels", [LabelEncoder(), LabelBinarizer()], ids=repr)
def test_explain_matches_the_run_of_labels(labels):
    assert_explained(fedps.Federation(thirds(people()), target="label"), labels)


def test_explain_matches_the_run_with_weights():
    clients = thirds(people(), [*NUMBERS, "visits"])
    assert_explained(fedps.Federation(clients), StandardScaler(), sample_weight="visits")


def test_explain_matches_the_run_of_arrays():
    cells = people()[[*NUMBERS, "visits"]].to_numpy()
    estimator = make_column_transformer((impute_scale(), [0, 1]), (MinMaxScaler(), [2]))
    assert_explained(fedps.Federation([cells[:30], cells[30:]]), estimator)


def test_explain_computes_nothing_and_leaves_the_run_alone():
    federation = fedps.Federation(thirds(people(), NUMBERS))
    federation.explain(StandardScaler())
    with pytest.raises(fedps.UsageError, match="nothing has run yet"):
        federation.run  # noqa: B018 - it raises


# What a statistic shows depends on what was asked


@pytest.mark.parametrize(
    ("estimator", "columns", "shows"),
    [
        (StandardScaler(), NUMBERS, "count, sum, sum of squares"),
        (SimpleImputer(), NUMBERS, "count and sum"),
        (MinMaxScaler(), NUMBERS, "count, smallest and largest value"),
        (MaxAbsScaler(), NUMBERS, "count, largest absolute value"),
        (OneHotEncoder(), WORDS, "distinct values"),
        (OneHotEncoder(max_categories=2), WORDS, "distinct values and counts"),
        (
            OrdinalEncoder(categories=[["bergen", "oslo", "tromsø"]]),
            ["city"],
            "counts of the given categories",
        ),
        (MissingIndicator(), NUMBERS, "number of missing cells"),
        (Normalizer(), ["chol"], "whether all cells are finite numbers"),
    ],
    ids=repr,
)
def test_what_is_shown(estimator, columns, shows):
    federation = fedps.Federation(thirds(people(), columns))
    federation.fit(estimator)
    assert [ask.shows for ask in federation.run.asks] == [shows]


# What a real run records


def test_what_a_run_adds_up_to():
    federation = fedps.Federation(thirds(people(), NUMBERS))
    federation.fit(impute_scale())
    run = federation.run
    assert (run.rows, run.rounds, run.clients) == (60, 2, ("north", "south", "west"))
    assert [ask.round for ask in run.asks] == [1, 2]
    for ask in run.asks:
        assert set(ask.bytes) == set(run.clients)
        assert min(ask.bytes.values()) > 0
    assert min(run.bytes_up.values()) > 0
    assert len(set(run.bytes_down.values())) == 1
    assert run.seconds > 0
    json.dumps(run.to_dict())


def test_a_refused_run_still_says_what_was_asked():
    policy = {"west": fedps.Policy(level="AGGREGATE")}
    federation = fedps.Federation(thirds(people(), NUMBERS), policy=policy)
    with pytest.raises(fedps.Refused):
        federation.fit(MinMaxScaler())
    assert (federation.run.rounds, federation.run.asks[0].statistic) == (1, "Extremes")
    assert "Extremes" in str(federation.run)


def test_what_a_fit_transform_asks_besides():
    rows = pd.DataFrame(
        {"city": ["oslo", "bergen"] * 5, "label": ["no", "yes", "no"] * 3 + ["yes"]}
    )
    made = fedps.Federation({"a": rows, "b": rows}, target="label")
    explained = made.explain(TargetEncoder())
    assert (explained.rounds, explained.outputs.rounds) == (1, 2)
    assert "fit_transform of TargetEncoder over 2 clients would take 2 rounds" in str(explained)
    with quiet():
        made.fit_transform(TargetEncoder())
    asked = [(ask.round, ask.statistic) for ask in made.run.asks]
    assert asked == [(ask.round, ask.statistic) for ask in explained.outputs.asks]
    assert made.explain(OneHotEncoder()).outputs is None

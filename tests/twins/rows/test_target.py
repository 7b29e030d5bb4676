"""TargetEncoder: the fit, the cross-fitted rows, and what later steps learn from these."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder

import fedps
from fedps.draws.folds import TAKES_SPLITTERS
from fedps.errors import ClientError, Disagreement, NotFederated, Refused, UsageError
from tests.rotation import in_turn
from tests.twins.compare import assert_same_fit
from tests.twins.targets import (
    PARTITIONS,
    ROWS,
    by_category,
    by_class,
    check,
    empty_and_single,
    federation,
    frame,
    other_columns,
    rounded,
    seeded,
    targets,
    thirds,
    with_target,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore:`TargetEncoder.shuffle`:FutureWarning",
    "ignore:The least populated class:UserWarning",
    "ignore:The number of unique classes:UserWarning",
    "ignore:invalid value:RuntimeWarning",
)


SMOOTHED = product(targets(), ["auto", 0.0, 10.0])


@pytest.mark.parametrize(("target", "smooth", "partition"), in_turn(SMOOTHED, PARTITIONS))
def test_targets(target, smooth, partition):
    parts = partition(with_target(targets()[target]))
    # scikit-learn adds up numbers that are far from zero, or of 32 bits, with an error of its own
    check(seeded(smooth=smooth), parts, rtol={"float32": 1e-5}.get(target, 1e-12))


@pytest.mark.parametrize("target_type", ["binary", "multiclass", "continuous"])
@pytest.mark.parametrize("target", ["text", "truth", "three whole floats", "numbers", "one"])
def test_given_kind_of_target(target, target_type):
    check(seeded(target_type=target_type), by_class(with_target(targets()[target])), rtol=1e-12)


@pytest.mark.parametrize("cv", [2, 3, 10])
@pytest.mark.parametrize("target", ["three", "numbers"])
@pytest.mark.parametrize("shuffle", [True, False])
def test_numbers_of_folds(cv, target, shuffle):
    encoder = TargetEncoder(cv=cv, shuffle=shuffle, random_state=2 if shuffle else None)
    check(encoder, empty_and_single(with_target(targets()[target])), rtol=1e-12)


SPLITTERS = {
    "stratified": StratifiedKFold(4, shuffle=True, random_state=1),
    "stratified in order": StratifiedKFold(3),
    "by position": KFold(6, shuffle=True, random_state=9),
    "by position in order": KFold(3),
    "predefined": PredefinedSplit(np.arange(ROWS) % 7),
    "one row each": LeaveOneOut(),
    "listed": list(KFold(4, shuffle=True, random_state=0).split(np.zeros(ROWS))),
    "instance of a state": KFold(4, shuffle=True, random_state=np.random.RandomState(3)),
    "nothing": None,
}


@pytest.mark.skipif(not TAKES_SPLITTERS, reason="this scikit-learn takes numbers of folds only")
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("target", ["three", "numbers"])
def test_splitters(splitter, target):
    encoder = TargetEncoder(cv=SPLITTERS[splitter])
    if splitter == "nothing":
        encoder = seeded(cv=None)
    check(encoder, by_category(with_target(targets()[target])), rtol=1e-12)


@pytest.mark.skipif(not TAKES_SPLITTERS, reason="this scikit-learn takes numbers of folds only")
def test_splitters_that_cannot_be_federated():
    ours = federation(thirds(with_target(targets()["text"])))
    for cv in (GroupKFold(3), ShuffleSplit(3)):
        with pytest.raises(NotFederated, match="cannot be federated"):
            ours.fit_transform(TargetEncoder(cv=cv))
        assert ours.fit(TargetEncoder(cv=cv)).cv is not None  # no folds are needed
    halves = [(np.arange(10), np.arange(ROWS // 2, ROWS)), (np.arange(10), np.arange(ROWS // 2))]
    with pytest.raises(NotFederated, match="training rows"):
        ours.fit_transform(TargetEncoder(cv=halves))
    twice = list(KFold(2).split(np.zeros(ROWS))) * 2
    with pytest.raises(UsageError, match="exactly once"):
        ours.fit_transform(TargetEncoder(cv=twice))


def test_too_many_folds():
    y = np.array(["a"] * (ROWS - 2) + ["b"] * 2)
    check(seeded(cv=ROWS + 1), thirds(with_target(y)))
    check(TargetEncoder(shuffle=False, random_state=1), thirds(with_target(y)))
    check(seeded(), thirds(with_target(y)))


GIVEN = [["zoë", "b", "never"], ["x", None], [-2, 0, 1, 9], [0.5, np.nan]]


IN_ORDER = [partition for partition in PARTITIONS if partition is not other_columns]
ENCODED = product(["text", "three", "numbers"], ["auto", 0.0, 3.0])


@pytest.mark.parametrize(("target", "smooth", "partition"), in_turn(ENCODED, IN_ORDER))
def test_given_categories(target, smooth, partition):
    encoder = seeded(categories=[np.array(c, dtype=object) for c in GIVEN], smooth=smooth)
    check(encoder, partition(with_target(targets()[target])), rtol=1e-12)


@pytest.mark.parametrize("target", ["whole", "numbers"])
def test_arrays_and_pairs(target):
    y = targets()[target]
    for X in (
        frame()[["word", "gaps"]].to_numpy(),
        frame()[["whole"]].to_numpy(),
        frame().to_numpy(),
    ):
        clients = [(X[:50], y[:50]), (X[50:51], y[50:51]), (X[51:], y[51:])]
        ours = fedps.Federation(clients)
        pooled = seeded()
        expected = pooled.fit_transform(X, y)
        fitted, outputs = ours.fit_transform(seeded())
        assert_same_fit(*rounded(fitted, pooled, 1e-12))
        np.testing.assert_allclose(np.concatenate(outputs), expected, rtol=1e-12)


CONTAINERS = {
    "categorical": lambda X: X.astype({"word": "category", "whole": "category"}),
    "string": lambda X: X.astype({"word": "string", "whole": "Int64"}),
    "arrow": lambda X: X.astype({"word": "string[pyarrow]"}),
    "truth": lambda X: X.assign(whole=X["whole"] > 0),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("target", ["text", "numbers"])
def test_dtypes(container, target):
    table = CONTAINERS[container](frame()[["word", "whole"]])
    check(seeded(), thirds(with_target(targets()[target], table)), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "category", "string", "Float64"])
def test_dtypes_of_the_target(dtype):
    y = pd.Series(targets()["whole"], dtype="int64")
    y = (y > 0).astype(dtype) if dtype == "boolean" else y.astype(dtype)
    if dtype == "string":
        y = y.astype("string[pyarrow]")
    check(seeded(), thirds(with_target(y)))


def test_polars():
    y = targets()["text"]
    X = pl.DataFrame({"word": frame()["word"].to_list(), "whole": frame()["whole"].to_numpy()})
    parts = [X.with_columns(y=pl.Series(y))[a:b] for a, b in ((0, 30), (30, 31), (31, ROWS))]
    ours = federation(parts)
    fitted, outputs = ours.fit_transform(seeded())
    pooled = seeded()
    expected = pooled.fit_transform(X, y)
    np.testing.assert_allclose(np.concatenate(list(outputs.values())), expected, rtol=1e-13)
    for mine, theirs in zip(fitted.encodings_, pooled.encodings_, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13)


def test_clients_with_different_kinds_of_numbers():
    """One client sees whole numbers only: all together they are no classes."""
    y = targets()["numbers"].copy()
    y[:40] = np.rint(y[:40] * 3)
    check(seeded(), thirds(with_target(y)), rtol=1e-12)
    check(seeded(smooth=2.0), thirds(with_target(y)), rtol=1e-12)
    X = frame()[["word"]]
    whole = targets()["three whole floats"]
    clients = [(X[:40], whole[:40].astype(int)), (X[40:], whole[40:])]
    fitted = fedps.Federation(clients).fit(TargetEncoder())
    pooled = TargetEncoder().fit(X, np.concatenate([clients[0][1], clients[1][1]]))
    assert_same_fit(*rounded(fitted, pooled, 1e-13))


# What goes wrong ------------------------------------------------------------------------------


def pairs(*targets):
    return [(pd.DataFrame({"a": ["x", "y"] * 10}), y) for y in targets]


def test_mistakes():
    encoder = TargetEncoder()
    good = np.array([0, 1] * 10)
    without = [pair[0] for pair in pairs(good, good)]
    with pytest.raises(ClientError, match="no target"):
        fedps.Federation(without).fit(encoder)
    with pytest.raises(ClientError, match="missing values in the target"):
        fedps.Federation(pairs(good, np.where(good, np.nan, 1.0))).fit(encoder)
    with pytest.raises(ClientError, match="missing values in the target"):
        fedps.Federation(pairs(np.array(["a", None] * 10, object))).fit(encoder)
    with pytest.raises(ClientError, match="more than one column"):
        fedps.Federation(pairs(np.ones((20, 2)))).fit(encoder)
    with pytest.raises(ClientError, match="neither all text"):
        fedps.Federation(pairs(good.astype(object))).fit(encoder)
    with pytest.raises(ClientError, match="not numbers"):
        fedps.Federation(pairs(np.array(["a", "b"] * 10))).fit(
            TargetEncoder(target_type="continuous")
        )
    with pytest.raises(UsageError, match="more than two classes"):
        fedps.Federation(pairs(good)).fit(TargetEncoder(target_type="multiclass"))


@pytest.mark.parametrize("other", [np.arange(20) % 2, np.arange(20) / 3])
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_text_here_and_numbers_there(method, other):
    clients = fedps.Federation(pairs(np.array(["a", "b"] * 10), other))
    with pytest.raises((Disagreement, ClientError), match="target"):
        getattr(clients, method)(TargetEncoder())
    mixed = [(pd.DataFrame({"a": ["x"] * 20}), other), (pd.DataFrame({"a": [1] * 20}), other)]
    with pytest.raises(Disagreement, match="'a'"):
        getattr(fedps.Federation(mixed), method)(TargetEncoder())


def test_policies():
    y = targets()["text"]
    parts = dict(enumerate(thirds(with_target(y))))
    clients = {str(name): part for name, part in parts.items()}
    with pytest.raises(Refused, match="level"):
        fedps.Federation(clients, target="y", policy=fedps.Policy(level="AGGREGATE")).fit(
            TargetEncoder()
        )
    with pytest.raises((Refused, ClientError)):
        fedps.Federation(clients, target="y", policy=fedps.Policy(deny=["y"])).fit(TargetEncoder())
    careful = fedps.Federation(clients, target="y", policy=fedps.Policy(min_rows=10, budget=None))
    careful.fit(TargetEncoder())
    with pytest.raises(Refused, match="min_rows"):  # folds of eight rows
        careful.fit_transform(TargetEncoder())


def test_the_ledger_names_the_target():
    ours = federation(thirds(with_target(targets()["text"])))
    ours.fit(TargetEncoder())
    (entry,) = [e for e in ours.ledgers["client 0"].entries if e.statistic != "Schema"]
    assert entry.columns == (*frame().columns, "y")


def test_explain():
    ours = federation(thirds(with_target(targets()["text"])))
    assert ours.explain(TargetEncoder()).rounds == 1
    assert ours.explain(make_pipeline(TargetEncoder(), StandardScaler())).rounds == 3


def test_the_argument_is_left_as_it_was():
    state = np.random.RandomState(0)
    encoder = TargetEncoder(random_state=state)
    before = state.get_state()[1].copy()
    federation(thirds(with_target(targets()["text"]))).fit_transform(encoder)
    np.testing.assert_array_equal(state.get_state()[1], before)
    assert not hasattr(encoder, "encodings_")

"""Mistakes with ``quantiles=`` and ``frequent=``, and with the sketches that stand there."""

import pytest
from sklearn.preprocessing import OneHotEncoder, RobustScaler

import fedps
from tests.mistakes.mistake import federation, on, told

KLL, REQ, ITEMS = fedps.KLL(), fedps.REQ(), fedps.FrequentItems(k=3)


@pytest.mark.parametrize("ask", ["fit", "fit_transform", "explain"])
@pytest.mark.parametrize("bad", ["kll", "KLL", 200, None, ITEMS], ids=repr)
def test_quantiles_that_are_none(bad, ask):
    with told(
        fedps.UsageError,
        "quantiles must be 'exact' or a sketch, such as fedps.KLL(k=200) or fedps.REQ(k=12); got "
        f"{bad!r}.",
    ):
        getattr(federation(), ask)(on(["age"], RobustScaler()), quantiles=bad)


@pytest.mark.parametrize("bad", ["items", 200, None, KLL], ids=repr)
def test_frequent_items_that_are_none(bad):
    with told(
        fedps.UsageError,
        f"frequent must be 'exact' or a sketch, such as fedps.FrequentItems(k=1000); got {bad!r}.",
    ):
        federation().fit(on(["city"], OneHotEncoder()), frequent=bad)


@pytest.mark.parametrize("kind", [fedps.KLL, fedps.REQ])
def test_class_instead_of_a_sketch(kind):
    with told(
        fedps.UsageError,
        f"quantiles={kind.__name__} is a class: give an instance, such as fedps.KLL(k=200) or "
        "fedps.REQ(k=12).",
    ):
        federation().fit(on(["age"], RobustScaler()), quantiles=kind)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: fedps.KLL(k=3), "k must be a whole number in 8..65535, not 3"),
        (lambda: fedps.KLL(k=10**6), "k must be a whole number in 8..65535, not 1000000"),
        (lambda: fedps.KLL(k="200"), "k must be a whole number in 8..65535, not '200'"),
        (lambda: fedps.KLL(k=200.0), "k must be a whole number in 8..65535, not 200.0"),
        (
            lambda: fedps.KLL(seed=-1),
            "seed must be None or a whole number in 0..9223372036854775807, not -1",
        ),
        (lambda: fedps.REQ(k=3), "k must be an even number in 4..1024, not 3"),
        (lambda: fedps.REQ(k=13), "k must be an even number in 4..1024, not 13"),
        (
            lambda: fedps.REQ(high_rank_accuracy=1),
            "high_rank_accuracy must be True or False, not 1",
        ),
        (lambda: fedps.FrequentItems(k=0), "FrequentItems needs a k of 1 to 100000, not 0"),
        (lambda: fedps.FrequentItems(k="3"), "FrequentItems needs a k of 1 to 100000, not '3'"),
    ],
)
def test_sketches_of_a_size_that_does_not_work(make, says):
    with told(ValueError, says):
        make()

"""The fit does not depend on the order of the clients: the same bits."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

import fedps
from tests.twins import tables
from tests.twins.partitions import ten_unequal

CHOICES = {
    "standard": (StandardScaler(), "rare"),
    "minmax": (MinMaxScaler(), "rare"),
    "maxabs": (MaxAbsScaler(), "rare"),
    "mean": (SimpleImputer(), "rare"),
    "most-frequent": (SimpleImputer(strategy="most_frequent"), "words"),
    "one-hot": (OneHotEncoder(min_frequency=9), "words"),
    "ordinal": (OrdinalEncoder(max_categories=3), "words"),
    "chain": (make_pipeline(SimpleImputer(), StandardScaler()), "rare"),
    "columns": (
        make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "c"]),
            (MinMaxScaler(), ["b"]),
            (OneHotEncoder(), ["fruit"]),
        ),
        "both",
    ),
}


def table(kind):
    """Return floats of very different sizes, whose plain sums depend on the order."""
    rng = tables.random(40)
    values = rng.normal(size=(tables.ROWS, 3)) * 10.0 ** rng.integers(-9, 9, (tables.ROWS, 3))
    numbers = tables.frame(tables.with_holes(values + np.array([0, 1e9, 0])))
    words = tables.strings_nan()
    return {"rare": numbers, "words": words, "both": pd.concat([numbers, words], axis=1)}[kind]


def bits(value):
    """Return everything numeric in a fitted estimator, as bytes, with its place."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return [bits(item) for item in value.tolist()]
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return [bits(item) for item in value]
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    if isinstance(value, float | np.floating):
        return np.asarray(value).tobytes()
    return bits(vars(value)) if hasattr(value, "get_params") else repr(value)


@pytest.mark.parametrize("choice", CHOICES)
def test_any_order_of_clients_gives_the_same_bits(choice):
    estimator, kind = CHOICES[choice]
    parts = ten_unequal(table(kind))
    expected = bits(fedps.Federation(parts).fit(estimator))
    for seed in range(6):
        order = tables.random(seed).permutation(len(parts))
        assert bits(fedps.Federation([parts[k] for k in order]).fit(estimator)) == expected


@pytest.mark.parametrize("weights", ["float", "int"])
def test_any_order_of_weighted_clients_gives_the_same_bits(weights):
    rows = table("rare")
    rows["w"] = tables.random(41).random(len(rows)) if weights == "float" else 3
    parts = ten_unequal(rows)
    fits = [
        bits(fedps.Federation(clients).fit(StandardScaler(), sample_weight="w"))
        for clients in (parts, parts[::-1], parts[3:] + parts[:3])
    ]
    assert fits[0] == fits[1] == fits[2]


@pytest.mark.parametrize("choice", ["standard", "mean", "one-hot"])
def test_the_same_call_gives_the_same_bits(choice):
    estimator, kind = CHOICES[choice]
    parts = ten_unequal(table(kind))
    fits = [bits(fedps.Federation(parts).fit(estimator)) for _ in range(3)]
    assert fits[0] == fits[1] == fits[2]

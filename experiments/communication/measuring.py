"""Fits across ten clients of 1000 rows, and counts bytes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    SplineTransformer,
    TargetEncoder,
)

import fedps
from experiments.communication.floors import FLOORS
from experiments.communication.parts import parts_of
from experiments.experiment import Cell, Line
from experiments.paper import COMMUNICATION, DATA_SETS, Row, bins, quantiles

WHERE = (*DATA_SETS, "continuous")
# not in the paper's table
BEYOND = {
    "MinMaxScaler": Row(MinMaxScaler(), "all"),
    "MaxAbsScaler": Row(MaxAbsScaler(), "all"),
    "RobustScaler": Row(RobustScaler(), "all"),
    "QuantileTransformer": Row(quantiles("uniform"), "all"),
    "SplineTransformer (quantile)": Row(SplineTransformer(knots="quantile"), "all"),
    "OneHotEncoder": Row(OneHotEncoder(), "texts"),
    "SimpleImputer (constant)": Row(SimpleImputer(strategy="constant", fill_value=0), "all"),
    "KBinsDiscretizer (quantile), KLL": Row(bins("quantile"), "all"),
    "KBinsDiscretizer (quantile), REQ": Row(bins("quantile"), "all"),
}
SKETCHES: dict[str, fedps.KLL | fedps.REQ] = {
    "KLL": fedps.KLL(k=200, seed=0),
    "REQ": fedps.REQ(k=12, seed=0),
}
ROWS = COMMUNICATION | BEYOND


def cells(quick: bool) -> list[Cell]:
    """Return every estimator on every data set that has columns for it.

    If quick, the paper's rows on Adult and Bank and on continuous columns.
    """
    places, rows = (("adult", "bank", "continuous"), COMMUNICATION) if quick else (WHERE, ROWS)
    return [
        {"estimator": name, "data": where, "clients": 10, "rows": 1000, "seed": 0}
        for where in places
        for name, row in rows.items()
        if row.columns != "texts" or where in ("adult", "bank")
    ]


def measure(cell: Cell) -> Mapping[str, Any]:
    """Return the bytes of a client, on average and at most, the rounds, and the floor."""
    row = ROWS[cell["estimator"]]
    parts = parts_of(cell["data"], row.columns, cell["clients"], cell["rows"], cell["seed"])
    federation = fedps.Federation([part.client for part in parts], progress=False)
    name = cell["estimator"].rpartition(", ")[2]
    sketch: fedps.KLL | fedps.REQ | Literal["exact"] = SKETCHES.get(name, "exact")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of narrow bins, as in a pooled fit
        if isinstance(row.estimator, TargetEncoder):
            federation.fit_transform(row.estimator)
        else:
            federation.fit(row.estimator, quantiles=sketch)
    floor = FLOORS.get(cell["estimator"])
    return {
        **_bytes("up", federation.run.bytes_up),
        **_bytes("down", federation.run.bytes_down),
        "rounds": federation.run.rounds,
        "floor": None if floor is None else round(float(np.mean([floor(p) for p in parts])), 1),
    }


def _bytes(way: str, sent: Mapping[str, int]) -> dict[str, float]:
    numbers = list(sent.values())
    return {way: round(float(np.mean(numbers)), 1), f"{way}_most": max(numbers)}


def say(line: Line) -> str:
    """Return a result in a few words."""
    return f"{line.cell['data']}, {line.cell['estimator']}: {line.found['up'] / 1000:.2f} KB up"

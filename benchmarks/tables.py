"""The large tables: pooled, and as ten clients that hold their own copies of its rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks import data

CLIENTS = 10
SHARE = 0.8  # the paper's training share: 464,809 rows of Covertype, 26,049 of Adult
REPEATS = 20  # Adult that many times over: 520,980 rows
CONTINUOUS = 464_809  # rows of doubles without ties
HOLES = 0.05


class Pooled(NamedTuple):
    """All rows in one table, and their labels where they are what is fitted."""

    X: Any
    y: Any = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.X)

    def clients(self) -> list[Any]:
        """Return the rows as tables of ten clients, or pairs with their labels."""
        bounds = np.linspace(0, self.rows, CLIENTS + 1).astype(int)
        parts = [
            (_rows(self.X, start, stop), None if self.y is None else _rows(self.y, start, stop))
            for start, stop in pairwise(bounds)
        ]
        return [X if y is None else (X, y) for X, y in parts]


def _rows(table: Any, start: int, stop: int) -> Any:
    """Return some rows as a table of their own memory."""
    if isinstance(table, np.ndarray):
        return table[start:stop].copy()
    return table.iloc[start:stop].reset_index(drop=True).copy()


@cache
def _covertype(share: float) -> pd.DataFrame:
    frame = data.covertype()
    return frame.sample(int(len(frame) * SHARE * share), random_state=0, ignore_index=True)


@cache
def _adult(share: float) -> pd.DataFrame:
    frame = data.adult()
    frame = frame.sample(int(len(frame) * SHARE), random_state=0)
    return pd.concat([frame] * max(1, int(REPEATS * share)), ignore_index=True)


def _numbers(share: float) -> pd.DataFrame:
    return _covertype(share).drop(columns="Cover_Type").astype(np.float64)


def _with_holes(frame: pd.DataFrame) -> pd.DataFrame:
    holes = np.random.default_rng(0).random(frame.shape) < HOLES
    return frame.mask(holes)


def _array(frame: pd.DataFrame) -> Pooled:
    return Pooled(np.ascontiguousarray(frame.to_numpy()))


def _texts(share: float) -> pd.DataFrame:
    frame = _adult(share).drop(columns="income")
    return frame[data.texts(frame)]


def _people(share: float) -> pd.DataFrame:
    frame = _adult(share).drop(columns="income")
    numbers = [name for name in frame if name not in data.texts(frame)]
    return frame.assign(**_with_holes(frame[numbers].astype(np.float64)))


def _objects(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(dict.fromkeys(data.texts(frame), object))


def _continuous(share: float) -> pd.DataFrame:
    return data.continuous(int(CONTINUOUS * share))


def _labels(frame: pd.DataFrame, name: str, dtype: Any = None) -> Pooled:
    labels = frame[name]
    return Pooled(frame.iloc[:, :0], labels if dtype is None else labels.astype(dtype))


TABLES: dict[str, Callable[[float], Pooled]] = {
    "numbers, frame": lambda share: Pooled(_numbers(share)),
    "numbers, array": lambda share: _array(_numbers(share)),
    "continuous, frame": lambda share: Pooled(_continuous(share)),
    "continuous, array": lambda share: _array(_continuous(share)),
    "numbers 5% NaN, frame": lambda share: Pooled(_with_holes(_numbers(share))),
    "numbers 5% NaN, array": lambda share: _array(_with_holes(_numbers(share))),
    "44 binary, float frame": lambda share: Pooled(_numbers(share).iloc[:, 10:].copy()),
    "44 binary, int frame": lambda share: Pooled(_covertype(share).iloc[:, 10:54].copy()),
    "44 binary, array": lambda share: _array(_numbers(share).iloc[:, 10:]),
    "8 texts, str frame": lambda share: Pooled(_texts(share)),
    "8 texts, object frame": lambda share: Pooled(_objects(_texts(share))),
    "8 texts, object array": lambda share: _array(_objects(_texts(share))),
    "label, str": lambda share: _labels(_adult(share), "income"),
    "label, object": lambda share: _labels(_adult(share), "income", object),
    "label, int": lambda share: _labels(_covertype(share), "Cover_Type"),
    "people 5% NaN, str frame": lambda share: Pooled(_people(share)),
    "people 5% NaN, object frame": lambda share: Pooled(_objects(_people(share))),
}

"""The rows that cases are for: the columns of a data set, with holes or labels where these matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from experiments.paper import labels_of, table_of

HOLES = 0.05


def rows_of(where: str, kind: str, number: int | None, seed: int) -> tuple[Any, Any]:
    """Return a table and the labels, in random order; the first so many rows, or all.

    "numbers", "texts" and "labelled" are as in the paper's tables. "holes" are the numbers,
    standardised, with cells taken out. "untied" have a random fraction added before that: whole
    numbers have many rows that are equally far. "labels" and "sets" have no columns, and as labels
    the classes, or sets of texts.
    """
    base = kind if kind in ("numbers", "texts", "labelled") else _base(kind)
    table, labels = table_of(where, base), labels_of(where)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(table))[:number]
    table = table.iloc[order].reset_index(drop=True)
    labels = labels.iloc[order].reset_index(drop=True)
    if kind in ("holes", "untied"):
        return _with_holes(table.astype(float), kind, rng), None
    if kind == "labels":
        return table.iloc[:, :0], labels.to_numpy()
    if kind == "sets":
        return table.iloc[:, :0], _sets(table)
    if kind == "labelled":
        return table.astype(float), pd.factorize(labels, sort=True)[0].astype(float)
    return table, labels.to_numpy()


def _base(kind: str) -> str:
    return {"labels": "texts", "sets": "all"}.get(kind, "numbers")


def _with_holes(table: pd.DataFrame, kind: str, rng: Any) -> pd.DataFrame:
    if kind == "untied":
        table = table + rng.random(table.shape)
    table = (table - table.mean()) / table.std()
    return table.mask(rng.random(table.shape) < HOLES)


def _sets(table: pd.DataFrame) -> Any:
    """Return for each row the set of the names of its columns that are above their average."""
    names = np.array(table.columns, dtype=object)
    sets = np.empty(len(table), dtype=object)
    sets[:] = [set(names[row]) for row in (table > table.mean()).to_numpy()]
    return sets

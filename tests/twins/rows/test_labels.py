"""LabelEncoder, LabelBinarizer and MultiLabelBinarizer across clients, and pooled."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, MultiLabelBinarizer

import fedps
from tests.twins import partitions, tables
from tests.twins.partitions import pool
from tests.twins.twin import compare, cross

N = 60
PARTITIONS = [
    partitions.thirds,
    partitions.alone,
    partitions.empty_first,
    partitions.single_rows,
    partitions.sorted_rows,
    partitions.category_at_one,
    partitions.ten_unequal,
]


def choose(values, seed=30, p=None):
    return tables.random(seed).choice(values, N, p=p)


LABELS = {
    "words": lambda: choose(["nein", "ja", "vielleicht", "日本"]),
    "word-list": lambda: choose(["nein", "ja", "vielleicht", "é"]).tolist(),
    "word-objects": lambda: choose(np.array(["nein", "ja", "é"], dtype=object)),
    "word-series": lambda: pd.Series(choose(["nein", "ja", "é"]).tolist(), name="y"),
    "categorical": lambda: pd.Series(
        pd.Categorical(choose(["b", "a"]), categories=["b", "a", "c"])
    ),
    "two-words": lambda: choose(["no", "yes"]),
    "one-word": lambda: choose(["yes"]),
    "ints": lambda: choose([5, -2, 100]),
    "int-list": lambda: choose([5, -2, 100]).tolist(),
    "int8": lambda: choose(np.array([1, 0, 3], dtype=np.int8)),
    "two-ints": lambda: choose([0, 1], p=[0.9, 0.1]),
    "one-int": lambda: choose([3]),
    "booleans": lambda: choose([True, False]),
    "whole-floats": lambda: choose([1.0, 2.0, 5.0]),
    "int-series": lambda: pd.Series(choose([5, -2, 100]), name="y"),
    "Int64": lambda: pd.Series(choose([5, -2, 100]), dtype="Int64"),
}
UNUSUAL = {
    "fractions": lambda: choose([0.5, 1.5, 2.5]),
    "nan": lambda: choose([1.0, 2.0, np.nan]),
    "none": lambda: choose(np.array(["a", "b", None], dtype=object)),
    "mixed": lambda: choose(np.array(["a", 1], dtype=object)),
    "two-columns": lambda: np.c_[choose([1, 2]), choose([3, 4], 31)],
    "one-column": lambda: choose([1, 2, 3]).reshape(-1, 1),
}
MATRICES = {
    "indicator": lambda: (tables.random(32).random((N, 4)) < 0.4).astype(int),
    "indicator-floats": lambda: (tables.random(32).random((N, 3)) < 0.4).astype(float),
    "indicator-bool": lambda: tables.random(32).random((N, 3)) < 0.4,
    "indicator-sparse": lambda: sp.csr_matrix((tables.random(32).random((N, 3)) < 0.4).astype(int)),
}

ENCODER = {name: (LabelEncoder(), builder) for name, builder in (LABELS | UNUSUAL).items()}
BINARIZER = {
    **{f"bin-{name}": (LabelBinarizer(), y) for name, y in (LABELS | UNUSUAL | MATRICES).items()},
    "bin-neg": (LabelBinarizer(neg_label=-1), LABELS["words"]),
    "bin-neg-binary": (LabelBinarizer(neg_label=-2, pos_label=3), LABELS["two-words"]),
    "bin-neg-one": (LabelBinarizer(neg_label=-2, pos_label=3), LABELS["one-word"]),
    "bin-sparse": (LabelBinarizer(sparse_output=True), LABELS["ints"]),
    "bin-sparse-binary": (LabelBinarizer(sparse_output=True, pos_label=7), LABELS["two-ints"]),
    "bin-sparse-matrix": (LabelBinarizer(sparse_output=True), MATRICES["indicator"]),
    "bin-matrix-labels": (LabelBinarizer(neg_label=-1, pos_label=2), MATRICES["indicator"]),
    "bin-wrong-order": (LabelBinarizer(neg_label=2, pos_label=1), LABELS["words"]),
    "bin-sparse-neg": (LabelBinarizer(neg_label=-1, sparse_output=True), LABELS["words"]),
}


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    [
        *cross(ENCODER, *PARTITIONS[2:6]),
        *cross(BINARIZER, *PARTITIONS[3:6]),
        *cross({"core": ENCODER["words"], "bin-core": BINARIZER["bin-words"]}, *PARTITIONS),
    ],
)
def test_labels(estimator, builder, partition):
    parts = partition(builder())
    y = pool(parts)
    compare(estimator, fedps.Federation([(None, part) for part in parts]), y, rows=[y])


# Sets of labels ---------------------------------------------------------------------------------


def sets(names, kind=tuple, most=3):
    rng = tables.random(33)
    sizes = rng.integers(0, min(most, len(names)) + 1, N)
    rows = [rng.choice(len(names), size, replace=False) for size in sizes]
    return [kind(names[i] for i in row) for row in rows]


FILMS = ["sci-fi", "thriller", "comédie", "drame", "日本"]
SETS = {
    "tuples": (MultiLabelBinarizer(), lambda: sets(FILMS)),
    "sets": (MultiLabelBinarizer(), lambda: sets(FILMS, set)),
    "lists": (MultiLabelBinarizer(), lambda: sets(FILMS, list)),
    "ints": (MultiLabelBinarizer(), lambda: sets([3, -1, 20, 7])),
    "floats": (MultiLabelBinarizer(), lambda: sets([0.5, -1.5, 2.0])),
    "letters": (MultiLabelBinarizer(), lambda: sets("xyzab", "".join)),
    "objects": (MultiLabelBinarizer(), lambda: np.array([*sets(FILMS), ()], dtype=object)[:N]),
    "series": (MultiLabelBinarizer(), lambda: pd.Series(sets(FILMS))),
    "all-empty": (MultiLabelBinarizer(), lambda: [()] * N),
    "sparse": (MultiLabelBinarizer(sparse_output=True), lambda: sets(FILMS)),
    "classes": (MultiLabelBinarizer(classes=[*FILMS[::-1], "western"]), lambda: sets(FILMS)),
    "classes-ints": (MultiLabelBinarizer(classes=[20, 7, 3, -1]), lambda: sets([3, -1, 20, 7])),
    "classes-array": (MultiLabelBinarizer(classes=np.array(FILMS)), lambda: sets(FILMS)),
    "classes-sparse": (
        MultiLabelBinarizer(classes=FILMS, sparse_output=True),
        lambda: sets(FILMS, set),
    ),
    "classes-too-few": (MultiLabelBinarizer(classes=FILMS[:2]), lambda: sets(FILMS)),
    "classes-twice": (MultiLabelBinarizer(classes=["a", "a"]), lambda: sets(["a", "b"])),
    "mixed": (MultiLabelBinarizer(), lambda: sets(["a", 1])),
}


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"), cross(SETS, *PARTITIONS[1:4], PARTITIONS[6])
)
def test_sets_of_labels(estimator, builder, partition):
    parts = partition(builder())
    y = pool(parts)
    compare(estimator, fedps.Federation([(None, part) for part in parts]), y, rows=[y])


# Where the labels come from ---------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [LabelEncoder(), LabelBinarizer()], ids=repr)
@pytest.mark.parametrize("column", ["cp", "visits", "sick", "grade"])
def test_target_is_a_column(column, estimator):
    parts = partitions.shuffled_columns(tables.people())
    federation = fedps.Federation(dict(zip("abcd", parts, strict=True)), target=column)
    y = pool(parts)[column]
    compare(estimator, federation, y, rows=[y])


@pytest.mark.parametrize("estimator", [LabelEncoder(), LabelBinarizer()], ids=repr)
@pytest.mark.parametrize("column", ["cp", "visits"])
def test_target_is_a_polars_column(column, estimator):
    parts = partitions.thirds(tables.polars_people())
    y = pl.concat(parts)[column]
    compare(estimator, fedps.Federation(parts, target=column), y, rows=[y])


@pytest.mark.parametrize("builder", [LABELS["words"], LABELS["ints"], LABELS["int-series"]])
def test_target_is_the_second_of_a_pair(builder):
    table, y = tables.numbers().head(N), builder()
    pairs = list(zip(partitions.ten_unequal(table), partitions.ten_unequal(y), strict=True))
    compare(LabelEncoder(), fedps.Federation(pairs), y, rows=[y])

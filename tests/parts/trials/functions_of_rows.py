"""Functions that work row by row, and functions that do not, each with a made-up row that it is for."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

from fedps.assembly import dummy_row

ARRAY = dummy_row("numpy", None, 4, ["<f8"])
WHOLE = dummy_row("numpy", None, 3, ["<i8"])
SPARSE = dummy_row("sparse", None, 3, ["<f8"])
PEOPLE = dummy_row(
    "pandas",
    ("age", "visits", "city", "seen"),
    4,
    ["float64", "int64", "object", "datetime64[ns]"],
)
NUMBERS = dummy_row("pandas", ("age", "chol"), 2, ["float64", "float64"])
CODES = dummy_row("pandas", ("code",), 1, ["object"])
KINDS = dummy_row("pandas", ("kind", "n"), 2, ["category:|O", "Int64"])
POLARS = dummy_row("polars", ("age", "city"), 2, ["Float64", "String"])
WEIGHTS = np.random.default_rng(0).normal(size=(4, 3))


def softmax(X):
    powers = np.exp(X - X.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def writes(X):
    X[X < 2] = 0
    return X


def shares(codes):
    return codes.code.map(codes.code.value_counts(normalize=True)).to_frame()


class Counts:
    """Not the same twice."""

    calls = 0

    def __call__(self, X):
        self.calls += 1
        return X + self.calls


def numbers_filled(codes):
    """Of words it makes gaps only: only numerals tell."""
    numbers = codes.apply(pd.to_numeric, errors="coerce")
    return numbers.fillna(numbers.mean())


def without_outliers(X):
    far = np.abs(X - np.nanmean(X, axis=0)) > 3 * np.nanstd(X, axis=0)
    return np.where(far, np.nan, X)


GOOD = {
    "nan_to_num": (np.nan_to_num, ARRAY),
    "writes into its rows": (writes, ARRAY),
    "a product": (lambda X: X @ WEIGHTS, ARRAY),
    "softmax": (softmax, ARRAY),
    "some columns": (lambda X: X[:, :2], ARRAY),
    "a sum per row": (lambda X: X.sum(axis=1), ARRAY),
    "rows without gaps": (lambda X: X[~np.isnan(X).any(axis=1)], ARRAY),
    "each row twice": (lambda X: np.repeat(X, 2, axis=0), ARRAY),
    "a partial": (partial(np.clip, a_min=0, a_max=3), ARRAY),
    "vectorize": (np.vectorize(lambda cell: cell // 2), WHOLE),
    "to sparse": (sparse.csr_matrix, ARRAY),
    "of sparse": (lambda X: X * 2, SPARSE),
    "to dense": (lambda X: X.toarray(), SPARSE),
    "square": (lambda X: X[["age"]] ** 2, PEOPLE),
    "drop": (lambda X: X.drop(columns="city"), PEOPLE),
    "year": (lambda X: X.assign(year=X.seen.dt.year), PEOPLE),
    "length of text": (lambda X: X.assign(length=X.city.str.len()), PEOPLE),
    "ratio": (lambda X: X.assign(rate=X.age / X.visits), PEOPLE),
    "fill with zero": (lambda X: X.fillna(0), NUMBERS),
    "apply by row": (lambda X: X.apply(lambda row: row.max(), axis=1).to_frame(), NUMBERS),
    "dropna": (lambda X: X.dropna(), NUMBERS),
    "cut at given edges": (lambda X: pd.cut(X.age, [0, 10, np.inf]).to_frame(), NUMBERS),
    "numerals": (lambda X: X.astype(int), CODES),
    "to_datetime": (lambda X: X.apply(pd.to_datetime), CODES),
    "upper": (lambda X: X.code.str.upper().to_frame(), CODES),
    "a given dictionary": (lambda X: X.code.map({"a": 1, "b": 2}).to_frame(), CODES),
    "numbers as objects": (lambda X: X + 1, CODES),
    "categories as text": (lambda X: X.astype({"kind": object}), KINDS),
    "polars": (lambda X: X.with_columns(pl.col("age") * 2), POLARS),
    "polars text": (lambda X: X.select(pl.col("city").str.to_uppercase()), POLARS),
    "polars drop_nulls": (lambda X: X.drop_nulls(), POLARS),
}

BAD = {
    "X - X.mean()": (lambda X: X - X.mean(axis=0), ARRAY),
    "X / X.max()": (lambda X: X / X.max(), ARRAY),
    "cumsum": (lambda X: np.cumsum(X, axis=0), WHOLE),
    "sort": (lambda X: np.sort(X, axis=0), ARRAY),
    "backwards": (lambda X: X[::-1], ARRAY),
    "random": (lambda X: X + np.random.rand(*X.shape), ARRAY),  # noqa: NPY002
    "random with a seed": (lambda X: X + np.random.default_rng(0).random(X.shape), ARRAY),
    "counts its calls": (Counts(), ARRAY),
    "diff": (lambda X: np.diff(X, axis=0), ARRAY),
    "row number": (lambda X: np.c_[X, np.arange(len(X))], ARRAY),
    "unique": (lambda X: np.unique(X, axis=0), ARRAY),
    "the first ten": (lambda X: X[:10], ARRAY),
    "gaps by the median": (lambda X: np.where(np.isnan(X), np.nanmedian(X), X), ARRAY),
    "winsorize": (lambda X: np.clip(X, *np.nanquantile(X, [0.01, 0.99])), ARRAY),
    "outliers": (without_outliers, ARRAY),
    "sparse by its maximum": (lambda X: X / X.max(), SPARSE),
    "fillna(median)": (lambda X: X.fillna(X.median()), NUMBERS),
    "ffill": (lambda X: X.ffill(), NUMBERS),
    "interpolate": (lambda X: X.interpolate(), NUMBERS),
    "rank": (lambda X: X.rank(), NUMBERS),
    "columns without gaps": (lambda X: X.dropna(axis=1), NUMBERS),
    "drop_duplicates": (lambda X: X.drop_duplicates(), NUMBERS),
    "shuffle": (lambda X: X.sample(frac=1, random_state=0), NUMBERS),
    "shift": (lambda X: X.shift(fill_value=0.0), NUMBERS),
    "qcut": (lambda X: X.apply(pd.qcut, q=3, labels=False, duplicates="drop"), NUMBERS),
    "describe": (lambda X: X.describe(), NUMBERS),
    "reset_index": (lambda X: X.reset_index(), NUMBERS),
    "rolling": (lambda X: X.rolling(3).mean(), NUMBERS),
    "cut into equal widths": (lambda X: pd.cut(X.age, 3, labels=False).to_frame(), NUMBERS),
    "get_dummies": (pd.get_dummies, CODES),
    "factorize": (lambda X: X.apply(lambda codes: pd.factorize(codes)[0]), CODES),
    "shares": (shares, CODES),
    "numerals by their mean": (numbers_filled, CODES),
    "codes of own categories": (lambda X: X.kind.cat.codes.to_frame(), KINDS),
    "polars mean": (lambda X: X.with_columns(pl.col("age") - pl.col("age").mean()), POLARS),
    "polars sort": (lambda X: X.sort("age"), POLARS),
    "polars forward": (lambda X: X.fill_null(strategy="forward"), POLARS),
    "polars to_dummies": (lambda X: X.to_dummies("city"), POLARS),
}

"""The floor of a statistic: the bytes of its numbers and texts, and of nothing else.

No names, lengths, separators or headers, and no compression. A list of numbers takes the fewest of 1,
2, 4 or 8 bytes for each that hold all of them; a text its UTF-8. Written from the data, by itself:
nothing here is shared with the library's encoding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.communication.parts import Part


def width(numbers: Any) -> int:
    """Return the fewest bytes that hold each of some numbers exactly."""
    numbers = np.asarray(numbers)
    if (numbers == np.floor(numbers)).all() and np.abs(numbers).max() < 2**63:
        low, high = int(numbers.min()), int(numbers.max())
        return max(np.min_scalar_type(end).itemsize for end in (low, high, *_signed(low, high)))
    return 4 if (numbers == numbers.astype(np.float32)).all() else 8


def _signed(low: int, high: int) -> tuple[int, ...]:
    """Return what has to fit as well where numbers have signs: one bit less is left for the rest."""
    return (-high - 1,) if low < 0 else ()


def size(*lists: Any) -> int:
    """Return the bytes of lists of numbers."""
    return sum(width(numbers) * np.size(numbers) for numbers in lists)


def sums(part: Part) -> int:
    """Mean: how many rows there are, and the sum of each column."""
    return size([len(part.X)]) + sum(size([c.sum()]) for c in _columns(part))


def moments(part: Part) -> int:
    """Mean and variance: as for the mean, and the sum of squares of each column."""
    return sums(part) + sum(size([np.square(c).sum()]) for c in _columns(part))


def extremes(part: Part) -> int:
    """Smallest and largest number of each column."""
    return sum(size([c.min()], [c.max()]) for c in _columns(part))


def largest(part: Part) -> int:
    """Largest absolute number of each column."""
    return sum(size([np.abs(c).max()]) for c in _columns(part))


def values(part: Part) -> int:
    """Each column's distinct values and their counts, or all its values where these are less."""
    total = 0
    for column in _columns(part):
        distinct, counts = np.unique(column, return_counts=True)
        total += min(size(distinct, counts), size(column))
    return total


def texts(part: Part) -> int:
    """Union of sets: the distinct texts of each column."""
    return sum(len(text.encode()) for column in part.X for text in part.X[column].unique())


def counted_texts(part: Part) -> int:
    """Frequent texts: the distinct texts of each column and their counts."""
    counts = (part.X[column].value_counts() for column in part.X)
    return texts(part) + sum(size(c) for c in counts)


def texts_by_fold(part: Part) -> int:
    """Target means: the texts, and the rows of each text, fold and class; the rows of each class."""
    classes, labels = np.unique(part.y, return_inverse=True)
    kinds = labels * (part.folds.max() + 1) + part.folds
    total = texts(part) + size(np.bincount(labels))
    for column in part.X:
        names, codes = np.unique(part.X[column].astype(str), return_inverse=True)
        shape = (len(names), len(classes) * (part.folds.max() + 1))
        total += size(np.bincount(codes * shape[1] + kinds, minlength=shape[0] * shape[1]))
    return total


def products(part: Part) -> int:
    """Regression: the sums of products of any two of [1, X, y], column by column."""
    whole = np.column_stack([np.ones(len(part.X), dtype=int), *_columns(part), part.y])
    gram = whole.T @ whole
    return sum(size(gram[: place + 1, place]) for place in range(len(gram)))


def nothing(part: Part) -> int:  # noqa: ARG001 - as the others
    """Nothing has to be known."""
    return 0


def _columns(part: Part) -> list[Any]:
    return [part.X[name].to_numpy() for name in part.X]


FLOORS: dict[str, Callable[[Part], int]] = {
    "StandardScaler": moments,
    "OrdinalEncoder": texts,
    "OrdinalEncoder (infrequent)": counted_texts,
    "TargetEncoder": texts_by_fold,
    "PowerTransformer": values,
    "KBinsDiscretizer (uniform)": extremes,
    "KBinsDiscretizer (quantile)": values,
    "KBinsDiscretizer (kmeans)": values,
    "SimpleImputer (mean)": sums,
    "SimpleImputer (median)": values,
    "SimpleImputer (most frequent)": values,
    "BayesianRidge": products,
    "MinMaxScaler": extremes,
    "MaxAbsScaler": largest,
    "RobustScaler": values,
    "QuantileTransformer": values,
    "SplineTransformer (quantile)": values,
    "OneHotEncoder": texts,
    "SimpleImputer (constant)": nothing,
}

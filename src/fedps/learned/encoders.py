"""What is learned for encoders of categories and of labels."""

from __future__ import annotations

from typing import Annotated, ClassVar

from fedps.learned.numbers import OF_FITTED_ROWS, Numbers
from fedps.learned.per_client import Array, PerRow


class CategoryEncoderNumbers(Numbers):
    """The categories of each column, for a OneHotEncoder or an OrdinalEncoder.

    ``counts`` are the cells of each category, where the parameters need them; ``unknown`` are the
    cells of each column that hold none of the given categories. ``stand_in`` is which category of a
    column stands for all infrequent ones that are not listed, -1 where there is none.
    """

    rows: int
    categories: list[Array]
    counts: list[Array] | None = None
    unknown: Array | None = None
    stand_in: Array | None = None


class TargetEncoderNumbers(Numbers):
    """The categories of each column and what the target is beside them.

    ``encodings`` and ``fold_encodings`` have an item for each output column; the latter are what was
    learned without each fold of the rows. ``grouped`` folds are for each client's rows label by label.
    ``classes`` are None for a target of numbers, and ``target`` are containers and dtypes of the
    clients' targets.
    """

    derived: ClassVar[tuple[str, ...]] = ("folds", "grouped")

    folds: Annotated[Array | PerRow | None, OF_FITTED_ROWS] = None
    grouped: Annotated[bool | None, OF_FITTED_ROWS] = None
    fold_encodings: Annotated[list[Array] | None, OF_FITTED_ROWS] = None
    fold_means: Annotated[Array | None, OF_FITTED_ROWS] = None
    categories: list[Array]
    encodings: list[Array]
    mean: Array | float
    classes: Array | None
    target: list[str]


class LabelNumbers(Numbers):
    """The distinct labels of the target, sorted."""

    classes: Array

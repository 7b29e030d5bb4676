"""What IterativeImputer is to do: its parameters, for the columns that it keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fedps.errors import NotFederated, UsageError
from fedps.plans.rows.iterative.column_order import ColumnTurn
from fedps.plans.rows.iterative.regressions import FittedRegression
from fedps.protocol.plan import View
from fedps.questions.markers import marks_nan
from fedps.statistics.base import Array
from fedps.statistics.products.imputation import Imputation

_NO_BOUNDS = np.empty(0)


class Step(NamedTuple):
    """A turn that was taken, and the regression that it took."""

    turn: ColumnTurn
    fit: FittedRegression


@dataclass(frozen=True)
class IterativeSetting:
    """What is known once the first answers are in, for the columns that are kept.

    ``gaps`` has the number of missing cells of each column, 0 where a column without any values is
    kept; ``start`` is what missing cells start from, less ``pivot``; ``largest`` is the largest absolute
    number. The bounds are empty where there are none.
    """

    imputer: Any
    estimator: Any
    view: View
    rows: int
    missing: float
    gaps: Array
    pivot: Array
    start: Array
    lower: Array
    upper: Array
    largest: float

    @property
    def tolerance(self) -> float:
        """The change of a row below which it stops."""
        return float(self.imputer.tol * self.largest)

    @property
    def bounded(self) -> bool:
        """Whether imputed cells have bounds."""
        return len(self.lower) + len(self.upper) > 0

    @property
    def imputed(self) -> int:
        """How many columns have missing cells."""
        return int((self.gaps > 0).sum())

    def weights(self, turn: ColumnTurn, fit: FittedRegression) -> Array:
        """Return a regression's coefficients, 0 for columns that it does not use."""
        weights = np.zeros(len(self.gaps))
        weights[turn.neighbours] = fit.coef
        return weights

    def imputation(self, steps: Sequence[Step]) -> Imputation:
        """Return what steps do to a client's rows: those of columns without missing cells do nothing."""
        doing = [step for step in steps if self.gaps[step.turn.column]]
        weights = [self.weights(*step) for step in doing]
        return Imputation(
            self.missing,
            self.pivot,
            self.start,
            np.array([step.turn.column for step in doing], dtype=np.int64),
            np.array(weights).reshape(len(doing), len(self.gaps)),
            np.array([step.fit.shifted for step in doing], dtype=np.float64),
            self.lower,
            self.upper,
        )


def check_iterative_imputer(imputer: Any) -> None:
    """Say why an imputer cannot be federated, if it cannot."""
    if imputer.sample_posterior:
        raise NotFederated(
            "IterativeImputer(sample_posterior=True) draws a number for each missing cell, in the order "
            "of the pooled rows, which no client knows. Use sample_posterior=False."
        )
    marker = imputer.missing_values
    if not marks_nan(marker) and not isinstance(marker, int | float | np.number):
        raise UsageError(
            f"IterativeImputer is for numbers, and missing_values={marker!r} is not one. Use "
            "missing_values=np.nan or a number."
        )
    if imputer.initial_strategy == "constant" and imputer.fill_value is not None:
        fill = imputer.fill_value
        if not isinstance(fill, int | float | np.number) or not np.isfinite(fill):
            raise UsageError(
                f"fill_value={fill!r} is not a finite number, which IterativeImputer needs."
            )


def bounds_of(imputer: Any, kept: Array) -> tuple[Array, Array]:
    """Return the bounds of imputed cells in the columns that are kept; empty where there are none."""
    found = []
    for name, none in (("min_value", -np.inf), ("max_value", np.inf)):
        bound = getattr(imputer, name)
        numbers = np.asarray(none if bound is None else bound, dtype=np.float64)
        if numbers.ndim and numbers.shape != kept.shape:
            raise UsageError(
                f"{name} has {numbers.size} numbers and the table {len(kept)} columns. Give one number, "
                "or one for each column."
            )
        found.append(np.broadcast_to(numbers, kept.shape)[kept].copy())
    lower, upper = found
    if not (upper > lower).all():
        raise UsageError("min_value must be below max_value in each column.")
    return tuple(b if np.isfinite(b).any() else _NO_BOUNDS for b in found)  # type: ignore[return-value]

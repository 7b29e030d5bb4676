"""What stand-ins share: they know the answer for the rows that they were fitted on, only."""

from __future__ import annotations

from typing import Any, TypeVar

from fedps.errors import UsageError
from fedps.learned import Numbers

_P = TypeVar("_P")


def demand_rows(part: Any, rows: int, known: int) -> None:
    """Raise UsageError unless these can be the rows that a stand-in was fitted on."""
    if rows != known:
        name = type(part).__name__.removeprefix("Part")
        raise UsageError(
            f"this {name} knows the {known} rows that it was fitted on, and got {rows}: for new rows "
            "it needs the columns of all clients. Make a Federation of those rows and fit it there."
        )


def demand_gaps(part: Any, gaps: Any, known: Any) -> None:
    """Raise UsageError unless the same cells are missing as in the rows that it was fitted on."""
    demand_rows(part, len(gaps), len(known))
    if (gaps != known).any():
        name = type(part).__name__.removeprefix("Part")
        raise UsageError(
            f"different cells are missing than in the rows that this {name} was fitted on, and it knows "
            "only those. Make a Federation of these rows and fit it there."
        )


def stand_in(kind: type[_P], estimator: Any, numbers: Numbers) -> _P:
    """Return an object of a class that stands in for an estimator, with what was learned of it."""
    part = kind(**estimator.get_params(deep=False))
    for name, value in vars(estimator).items():
        setattr(part, name, value)
    setattr(part, "_told", numbers)  # noqa: B010 - _P is any of the classes that have it
    return part

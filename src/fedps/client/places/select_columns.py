"""Which columns of a client's table a branch of a ColumnTransformer takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.compose import make_column_selector

from fedps.client.tables import names_of, positions_of, shape
from fedps.client.work_limits import check_pattern
from fedps.learned import Described, branches_of
from fedps.protocol.schemas.columns_of_kind import ColumnsOfKind
from fedps.statistics import BadCells


def branch_positions(example: Any, transformer: Described, branch: int) -> list[int]:
    """Return the positions of a branch's columns; ``example`` is a row of the table.

    The last branch is the remainder: what no other branch takes.
    """
    *given, _ = branches_of(transformer)
    if branch < len(given):
        return written_positions(example, given[branch][2])
    taken = {i for _, _, columns in given for i in written_positions(example, columns)}
    return [i for i in range(shape(example)[1]) if i not in taken]


def named_positions(names: Sequence[str], transformer: Described, branch: int) -> list[int] | None:
    """Return the same where all branches list names, without a row; None where that is not enough."""
    at = {name: i for i, name in enumerate(names)}
    *given, _ = branches_of(transformer)
    lists = [columns for _, _, columns in given]
    known = (isinstance(own, list) and own and all(n in at for n in own) for own in lists)
    if len(at) < len(names) or not all(known):
        return None
    if branch < len(lists):
        return [at[name] for name in lists[branch]]
    taken = {name for own in lists for name in own}
    return [i for i, name in enumerate(names) if name not in taken]


def written_positions(example: Any, columns: Any) -> list[int]:
    """Return the positions of columns that are written as in a pipeline's description."""
    width = shape(example)[1]
    if isinstance(columns, dict):
        if "kind" in columns:
            return _chosen_kind(example, columns["kind"])
        if "slice" in columns:
            return _chosen_span(example, *columns["slice"])
        return _chosen_where(example, **columns["make_column_selector"])
    items = list(columns)
    if items and all(isinstance(item, str) for item in items):
        known = names_of(example) or ()
        for name in items:
            if name not in known:
                raise BadCells("no column", what=name)
        return positions_of(example, items)
    for i in items:
        if not -width <= i < width:
            raise BadCells("no column", what=f"number {i}")
    return [i % width for i in items]


def _chosen_span(
    example: Any, start: int | str | None, stop: int | str | None, step: int | None
) -> list[int]:
    names = list(names_of(example) or ())

    def place(end: int | str | None, extra: int) -> int | None:
        if not isinstance(end, str):
            return end
        if end not in names:
            raise BadCells("no column", what=end)
        return names.index(end) + extra

    # a slice of names includes its end, as in pandas and ColumnTransformer
    return list(range(shape(example)[1])[slice(place(start, 0), place(stop, 1), step)])


def _chosen_kind(example: Any, written: Any) -> list[int]:
    try:
        kind, among = written
        return written_positions(example, ColumnsOfKind(kind, among)(example))
    except LookupError as error:
        raise BadCells("no column", what=str(error.args[0])) from None
    except (TypeError, ValueError):
        raise BadCells("selection") from None


def _chosen_where(
    example: Any, pattern: str | None, dtype_include: Any, dtype_exclude: Any
) -> list[int]:
    if not hasattr(example, "iloc"):
        raise BadCells("selection", None)
    if pattern is not None:
        check_pattern(pattern)
    selector = make_column_selector(
        pattern, dtype_include=dtype_include, dtype_exclude=dtype_exclude
    )
    return positions_of(example, selector(example))

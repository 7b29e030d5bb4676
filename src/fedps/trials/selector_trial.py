"""Whether a function that chooses columns looks at names and dtypes only: found out on made-up tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fedps.assembly import copied_rows, dummy_table
from fedps.assembly.dummy_rows.dummy_cells import Flavour
from fedps.errors import NotFederated, UsageError
from fedps.trials.function_trial import quietly

MANY_ROWS, FEW_ROWS = (
    1_100,
    12,
)  # rows: more than a threshold for categories commonly is, where there are few columns
MOST_MADE_UP = 200_000

BY_GAPS = "which cells are missing"
BY_DISTINCT = "how many distinct values a column has"
BY_ROWS = "how many rows there are"
BY_CELLS = "the values of cells"


def check_selector(selector: Callable[[Any], Any], row: Any, part: str) -> None:
    """Raise NotFederated unless a function chooses the same columns of all tables like a made-up row."""
    rows = max(FEW_ROWS, min(MANY_ROWS, MOST_MADE_UP // max(row.shape[1], 1)))
    base = dummy_table(row, rows)
    expected = _chosen(selector, base)
    found: dict[str, None] = {}
    for tables in (_varied(row, rows), _extreme(row, base)):
        for reason, table in tables:
            if reason not in found and _chosen(selector, table) != expected:
                found[reason] = None
        if found:
            raise NotFederated(
                f"the columns of {part!r} are chosen by a function that looks at {_listed(found)}: it "
                "chooses other columns where only that differs, and no one sees the cells of all clients. "
                'Name the columns, such as ["age", "sex"], or choose them by name or dtype with '
                "make_column_selector."
            )
    if isinstance(expected, str):
        raise UsageError(
            f"the columns of {part!r} are chosen by a function that fails with {expected} on every table "
            "with the clients' columns. Name the columns, or use make_column_selector."
        )


def _varied(row: Any, rows: int) -> Iterator[tuple[str, Any]]:
    """Yield made-up tables that differ from the first in one way, and which that is."""
    for distinct in (1, 2, 5):
        yield BY_DISTINCT, dummy_table(row, rows, distinct=distinct)
    for gaps in (0.05, 0.5, 0.95):
        yield BY_GAPS, dummy_table(row, rows, gaps=gaps)
    for flavour in (Flavour.NUMERALS, Flavour.DATES, Flavour.OBJECTS):
        yield BY_CELLS, dummy_table(row, rows, flavour=flavour)


def _extreme(row: Any, base: Any) -> Iterator[tuple[str, Any]]:
    """Yield made-up tables that differ in more than one way, and the most likely one."""
    yield BY_ROWS, copied_rows(base, range(FEW_ROWS))
    yield BY_ROWS, row
    yield BY_GAPS, dummy_table(row, FEW_ROWS, gaps=1.0)
    yield BY_CELLS, copied_rows(base, range(base.shape[0])[::-1])
    yield BY_CELLS, dummy_table(row, FEW_ROWS, flavour=Flavour.SENTENCES)


def _chosen(selector: Callable[[Any], Any], table: Any) -> Any:
    """Return what a function chooses, or the name of the error that it fails with."""
    try:
        with quietly():
            chosen = selector(copied_rows(table, range(table.shape[0])))
        return _plain(chosen)
    except Exception as error:  # noqa: BLE001 - whatever a function raises
        return type(error).__name__


def _plain(chosen: Any) -> Any:
    """Return a choice as a list that can be compared."""
    if isinstance(chosen, slice):
        return [slice, chosen.start, chosen.stop, chosen.step]
    if isinstance(chosen, str | int | np.generic):
        return [chosen]
    return [c.item() if isinstance(c, np.generic) else c for c in chosen]


def _listed(reasons: dict[str, None]) -> str:
    *most, last = reasons
    return f"{', '.join(most)} and {last}" if most else last

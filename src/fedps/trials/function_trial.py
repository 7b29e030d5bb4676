"""Whether a function works row by row: found out on made-up tables, their parts and other orders."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedps.assembly import dummy_table, take_rows
from fedps.assembly.dummy_rows.dummy_tables import FAR, FLAVOURS
from fedps.trials.same_output import Output, joined, output_of, same_cells, same_columns

log = logging.getLogger("fedps.trials")

ROWS = 40
PATIENCE = 0.5  # seconds; a slow function is tried on fewer tables

# why a function is not one of single rows
RANDOM = "it gives different output for the same rows each time"
FAILS = "it fails on some of the rows, and not on all of them together"
COLUMNS = "which columns it returns depends on the cells"
ORDER = "it gives other output where the rows stand in another order"
OTHERS = "it gives other output where some rows are taken away"


class Tried(NamedTuple):
    """What a trial found: why it is not row by row, if so, and output for made-up rows, if any."""

    reason: str | None = None
    output: Any = None
    failed: str = ""  # the error, where it fails on all made-up tables

    @property
    def ran(self) -> bool:
        """Whether the function ran on at least one made-up table."""
        return not self.failed


def made_up_tables(row: Any) -> Iterator[Any]:
    """Yield tables like a made-up row: cells of several kinds, gaps and few distinct values for each."""
    for flavour in range(FLAVOURS):
        yield dummy_table(row, ROWS, flavour=flavour)
        yield dummy_table(row, ROWS, flavour=flavour, gaps=0.3)
        yield dummy_table(row, ROWS, flavour=flavour, distinct=2)


def try_function(run: Callable[[Any], Any], tables: Iterable[Any]) -> Tried:
    """Run a function on made-up tables, parts of them, and in other orders.

    A table on which it fails says nothing: it may be that such cells do not occur.
    """
    started, output, failed = time.monotonic(), None, "no table"
    for table in tables:
        if output is not None and time.monotonic() - started > PATIENCE:
            break
        try:
            returned = run(_all(table))
            whole = output_of(returned)
        except Exception as error:
            failed = failed if output is not None else type(error).__name__
            log.debug("a function failed on a made-up table", exc_info=True)
            continue
        output, failed = (returned if output is None else output), ""
        reason = _compare(run, table, whole)
        if reason is not None:
            return Tried(reason, output)
    return Tried(None, output, "" if output is not None else failed)


def _compare(run: Callable[[Any], Any], table: Any, whole: Output) -> str | None:
    """Return how the output for a table differs from that for its parts, or None."""
    rows = table.shape[0]
    every = np.arange(rows)
    far = min(FAR, rows - 1)
    half = [every[: rows // 2], every[rows // 2 :]]
    others = [np.array([far]), np.delete(every, far)]
    try:
        again, turned = _run(run, table, every), _run(run, table, every[::-1])
        halves = [_run(run, table, part) for part in half]
        others_out = [_run(run, table, part) for part in others if len(part)]
    except Exception:
        log.debug("a function failed on a part of a made-up table", exc_info=True)
        return FAILS
    if not (same_columns(whole, again) and same_cells(whole, again)):
        return RANDOM
    if not all(same_columns(whole, part) for part in (turned, *halves, *others_out)):
        return COLUMNS
    if not same_cells(whole, joined(halves)):
        return OTHERS
    if whole.rows != rows:  # rows are left out, or become several
        return None if _same_parts(run, table, turned) else OTHERS
    if not all(same_cells(whole.at(p), o) for p, o in zip(others, others_out, strict=False)):
        return OTHERS
    return None if same_cells(whole.at(every[::-1]), turned) else ORDER


def _same_parts(run: Callable[[Any], Any], table: Any, turned: Output) -> bool:
    """Whether the output for turned rows is that of each row, one after the other."""
    backwards = np.arange(table.shape[0])[::-1]
    try:
        alone = [_run(run, table, np.array([i])) for i in backwards]
    except Exception:  # noqa: BLE001 - whatever a function raises
        return False
    return all(same_columns(turned, part) for part in alone) and same_cells(turned, joined(alone))


def _run(run: Callable[[Any], Any], table: Any, rows: NDArray[Any]) -> Output:
    return output_of(run(take_rows(table, rows)))


def _all(table: Any) -> Any:
    """Return a copy of a table: a function may write into it."""
    return take_rows(table, np.arange(table.shape[0]))

"""Whether a function works row by row: found out on made-up tables, their parts and other orders."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedps.assembly import copied_rows, dummy_table, first_cells
from fedps.assembly.dummy_rows.dummy_cells import FAR_CELL, Flavour
from fedps.trials.same_output import NoTable, Output, end_to_end, output_of, same_cells, same_names

log = logging.getLogger("fedps.trials")

MADE_ROWS = 40
PATIENCE_OF_A_TRIAL = 0.5  # seconds; a slow function is tried on fewer tables

# why a function is not one of single rows
IS_RANDOM = "it gives different output for the same rows each time"
FAILS_ON_SOME = "it fails on some of the rows, and not on all of them together"
OTHER_COLUMNS = "which columns it returns depends on the cells"
OTHER_ORDER = "it gives other output where the rows stand in another order"
OTHER_COUNT = "it leaves rows out, or makes several of one"
OTHER_ROWS = "it gives other output where some rows are taken away"


class TrialResult(NamedTuple):
    """What a trial found: why a function is not row by row, or that it fails on all made-up tables."""

    reason: str | None = None
    keeps_rows: bool = True  # it returns one row for each
    failed: str = ""  # in words: what it fails with

    @property
    def ran(self) -> bool:
        """Whether the function ran on at least one made-up table."""
        return not self.failed


@contextmanager
def quietly() -> Iterator[None]:
    """Show no warnings about made-up cells, and leave NumPy's global generator as it was."""
    state = np.random.get_state()  # noqa: NPY002 - the one that functions and estimators use
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def made_up_tables(rows: Any) -> Iterator[list[Any]]:
    """Yield tables like made-up rows: with gaps, few distinct values, and then other kinds of text.

    A function of text may fail on some kinds, and give gaps only for others.
    """
    row = rows[:1]
    yield [
        rows,
        dummy_table(row, MADE_ROWS, gaps=0.3),
        dummy_table(row, MADE_ROWS, distinct=2),
        dummy_table(row, MADE_ROWS, gaps=0.1, flavour=Flavour.DATES),
    ]
    if any(isinstance(cell, str) for cell in first_cells(row)):
        for flavour in list(Flavour)[1:]:
            yield [dummy_table(row, MADE_ROWS, flavour=flavour, gaps=gaps) for gaps in (0.1, 0.0)]


def try_kinds(run: Callable[[Any], Any], rows: Any) -> TrialResult:
    """Try a function on made-up rows and tables like them; it need not be able to read all of them."""
    started, (first, *others) = time.monotonic(), made_up_tables(rows)
    results = [try_function(run, first)]
    for tables in others:
        ran = [tried for tried in results if tried.ran]
        slow = ran and time.monotonic() - started > PATIENCE_OF_A_TRIAL
        if slow or results[-1].reason is not None:
            break
        results.append(try_function(run, tables, enough=1))
    ran = [tried for tried in results if tried.ran] or results[:1]
    return ran[-1]._replace(keeps_rows=all(tried.keeps_rows for tried in ran))


def try_function(
    run: Callable[[Any], Any], tables: Iterable[Any], enough: int | None = None
) -> TrialResult:
    """Run a function on made-up tables, parts of them, and in other orders.

    A table on which it fails says nothing: it may be that such cells do not occur. ``enough`` says on how
    many it must run.
    """
    started, ran, tried = time.monotonic(), 0, TrialResult(failed="no table")
    for table in tables:
        if ran and (ran == enough or time.monotonic() - started > PATIENCE_OF_A_TRIAL):
            break
        try:
            whole = _run(run, table, np.arange(table.shape[0]))
        except Exception as error:
            log.debug("a function failed on a made-up table", exc_info=True)
            tried = tried if ran else TrialResult(failed=_in_words(error))
            continue
        keeps = tried.keeps_rows and whole.rows == table.shape[0]
        tried = TrialResult(_compare(run, table, whole, twice=not ran), keeps)
        ran += 1
        if tried.reason is not None:
            break
    return tried


def _in_words(error: Exception) -> str:
    return (
        "returns no table" if isinstance(error, NoTable) else f"fails with {type(error).__name__}"
    )


def _compare(run: Callable[[Any], Any], table: Any, whole: Output, *, twice: bool) -> str | None:
    """Return how the output for a table differs from that for its parts, or None.

    ``twice`` says whether to look for differences between equal tables as well.
    """
    rows = table.shape[0]
    every, far = np.arange(rows), np.array([min(FAR_CELL, rows - 1)])
    half = [every[: rows // 2], every[rows // 2 :]]
    try:
        again = _run(run, table, every) if twice else whole
        turned, alone, *halves = [_run(run, table, part) for part in (every[::-1], far, *half)]
    except Exception:
        log.debug("a function failed on a part of a made-up table", exc_info=True)
        return FAILS_ON_SOME
    if not (same_names(whole, again) and same_cells(whole, again)):
        return IS_RANDOM
    if not all(same_names(whole, part) for part in (turned, alone, *halves)):
        return OTHER_COLUMNS
    if not same_cells(whole, end_to_end(halves)):
        return OTHER_ROWS
    if whole.rows != rows:  # rows are left out, or become several
        return None if _same_parts(run, table, turned) else OTHER_ROWS
    if not same_cells(whole.at(far), alone):
        return OTHER_ROWS
    return None if same_cells(whole.at(every[::-1]), turned) else OTHER_ORDER


def _same_parts(run: Callable[[Any], Any], table: Any, turned: Output) -> bool:
    """Whether the output for turned rows is that of each row, one after the other."""
    backwards = np.arange(table.shape[0])[::-1]
    try:
        alone = [_run(run, table, np.array([i])) for i in backwards]
    except Exception:  # noqa: BLE001 - whatever a function raises
        return False
    return all(same_names(turned, part) for part in alone) and same_cells(turned, end_to_end(alone))


def _run(run: Callable[[Any], Any], table: Any, rows: NDArray[Any]) -> Output:
    return output_of(run(copied_rows(table, rows)), len(rows))

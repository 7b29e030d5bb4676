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
from fedps.trials.same_output import Output, end_to_end, output_of, same_cells, same_names

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
    failed: str = ""  # the name of the error

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
    gaps, distinct, signed = {"gaps": 0.3}, {"distinct": 2}, {"gaps": 0.1, "flavour": Flavour.DATES}
    yield [rows, *(dummy_table(row, MADE_ROWS, **how) for how in (gaps, distinct, signed))]
    if any(isinstance(cell, str) for cell in first_cells(row)):
        for flavour in list(Flavour)[1:]:
            yield [dummy_table(row, MADE_ROWS, flavour=flavour, **how) for how in ({}, gaps)]


def try_kinds(run: Callable[[Any], Any], rows: Any) -> TrialResult:
    """Try a function on made-up rows and tables like them; it need not be able to read all of them."""
    results = []
    for tables in made_up_tables(rows):
        tried = try_function(run, tables)
        if tried.reason is not None:
            return tried
        results.append(tried)
    ran = [tried for tried in results if tried.ran]
    return TrialResult(
        None, all(tried.keeps_rows for tried in ran), "" if ran else results[0].failed
    )


def try_function(run: Callable[[Any], Any], tables: Iterable[Any]) -> TrialResult:
    """Run a function on made-up tables, parts of them, and in other orders.

    A table on which it fails says nothing: it may be that such cells do not occur.
    """
    started, failed, tried = time.monotonic(), "no table", TrialResult()
    for table in tables:
        if not failed and time.monotonic() - started > PATIENCE_OF_A_TRIAL:
            break
        try:
            whole = _run(run, table, np.arange(table.shape[0]))
        except Exception as error:
            failed = failed and type(error).__name__
            log.debug("a function failed on a made-up table", exc_info=True)
            continue
        failed = ""
        keeps = tried.keeps_rows and whole.rows == table.shape[0]
        tried = TrialResult(_compare(run, table, whole), keeps)
        if tried.reason is not None:
            return tried
    return tried._replace(failed=failed)


def _compare(run: Callable[[Any], Any], table: Any, whole: Output) -> str | None:
    """Return how the output for a table differs from that for its parts, or None."""
    rows = table.shape[0]
    every = np.arange(rows)
    far = min(FAR_CELL, rows - 1)
    half = [every[: rows // 2], every[rows // 2 :]]
    others = [np.array([far]), np.delete(every, far)]
    try:
        again, turned = _run(run, table, every), _run(run, table, every[::-1])
        halves = [_run(run, table, part) for part in half]
        others_out = [_run(run, table, part) for part in others if len(part)]
    except Exception:
        log.debug("a function failed on a part of a made-up table", exc_info=True)
        return FAILS_ON_SOME
    if not (same_names(whole, again) and same_cells(whole, again)):
        return IS_RANDOM
    if not all(same_names(whole, part) for part in (turned, *halves, *others_out)):
        return OTHER_COLUMNS
    if not same_cells(whole, end_to_end(halves)):
        return OTHER_ROWS
    if whole.rows != rows:  # rows are left out, or become several
        return None if _same_parts(run, table, turned) else OTHER_ROWS
    if not all(same_cells(whole.at(p), o) for p, o in zip(others, others_out, strict=False)):
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
    return output_of(run(copied_rows(table, rows)))

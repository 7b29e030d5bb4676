"""Views: derived tables, rebuilt from the journal of tells whenever they are needed."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector

from fedps.assembly import assemble_with_row, blank, rows_from, template
from fedps.client.blocks import Cells
from fedps.client.folds import in_row_order, row_folds
from fedps.client.policy import Drawn, Policy
from fedps.client.tables import Chunk, Table, names_of, positions_of, shape, take, take_rows
from fedps.client.tables.table import InMemory
from fedps.errors import UsageError
from fedps.protocol.messages import (
    TABLE,
    TARGET,
    Apply,
    At,
    Draw,
    Except,
    Folds,
    Named,
    Select,
    Selection,
    Span,
    Tell,
    Where,
)
from fedps.statistics import BadCells, Block, Schema
from fedps.statistics.base import Array

log = logging.getLogger("fedps.client")

SAFE_HOMES = ("numpy", "scipy.special")


class View:
    """A table at this client: how its rows come from its parent's, and one made-up row."""

    def __init__(
        self,
        make_example: Callable[[], Any],
        columns: tuple[str, ...],
        parent: int | None,
        change: Callable[[Any, Chunk], Any],
        *,
        width: int | None = None,
        transformed: bool = False,
        drawn: Drawn | None = None,
        folds: Array | None = None,
    ) -> None:
        self._make_example = make_example
        self.columns = columns  # the client's own columns that this view is made of
        self.parent = parent
        self.change = change
        self.transformed = transformed  # by anything but a choice of columns
        self.drawn = drawn  # what of the client's rows, where not all
        self.folds = folds  # the fold of each of the client's rows
        self._width = width

    @cached_property
    def example(self) -> Any:
        """One made-up row; made when it is first needed."""
        return self._make_example()

    @property
    def width(self) -> int:
        """The number of columns."""
        return shape(self.example)[1] if self._width is None else self._width


class Views:
    """All views of one client in one fit, made from the tells so far."""

    def __init__(
        self, table: Table, policy: Policy, functions: Mapping[str, Any] | None = None
    ) -> None:
        self.table = table
        self.policy = policy
        self._functions = functions or {}
        self._tells: dict[int, Tell] = {}
        self._made: dict[int, View] = {}
        self._kept: dict[int, Any] = {}

    def tell(self, tell: Tell) -> None:
        """Note a derived view; it is made when it is first asked about."""
        self._tells[tell.view] = tell
        self._made.pop(tell.view, None)
        self._kept.pop(tell.view, None)

    def passes(self) -> Iterator[Callable[[int], Block]]:
        """Go once over the table; for each chunk, yield what gives a view's block of its rows.

        A derived table is made once a chunk, however much is asked of it. Those of a table in
        memory, which is one chunk, are kept for the rounds to come.
        """
        in_memory = isinstance(self.table, InMemory)
        for chunk in self.table.chunks():
            made = self._kept if in_memory else {}
            # what is read more than once is converted once
            yield lru_cache(maxsize=None)(partial(self._block, chunk, made))

    def _block(self, chunk: Chunk, made: dict[int, Any], number: int) -> Block:
        rows = self._rows(number, chunk, made)
        folds = self[number].folds
        if folds is not None:
            folds = folds[chunk.start : chunk.start + shape(chunk.X)[0]]
        return Cells(rows, chunk, is_target=self._is_target(number), folds=folds)

    def _rows(self, number: int, chunk: Chunk, made: dict[int, Any]) -> Any:
        if number not in made:
            view = self[number]
            parent = chunk if view.parent is None else self._rows(view.parent, chunk, made)
            made[number] = view.change(parent, chunk)
        return made[number]

    def _is_target(self, number: int) -> bool:
        parent = self[number].parent
        return number == TARGET if parent is None else self._is_target(parent)

    def __getitem__(self, number: int) -> View:
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def _make(self, number: int) -> View:
        if number == TABLE:
            return self._own_table()
        if number == TARGET:
            return self._own_target()
        if number not in self._tells:
            raise BadCells("journal", None)
        tell = self._tells[number]
        if isinstance(tell.change, Select):
            return self._selected(tell.parent, tell.change.columns)
        if isinstance(tell.change, Draw):
            return self._drawn(tell.parent, tell.change.times)
        if isinstance(tell.change, Folds):
            return self._folded(tell.parent, tell.change)
        return self._applied(tell.parent, tell.change)

    def _own_table(self) -> View:
        schema = self.table.schema()
        kept = self.policy.kept(schema)
        shown = self.policy.schema(schema)
        columns = shown.names or tuple(map(str, range(shown.width)))
        return View(
            lambda: _made_up(shown),
            columns,
            None,
            lambda _, chunk: take(chunk.X, kept),
            width=shown.width,
        )

    def _own_target(self) -> View:
        schema = self.table.target_schema()
        if schema is None:
            raise BadCells("no target", None)
        return View(
            lambda: _made_up(schema),
            (self.table.target_name or "target",),
            None,
            lambda _, chunk: chunk.y,
            width=schema.width,
        )

    def _selected(self, number: int, selection: Selection) -> View:
        parent = self[number]
        positions = chosen(parent.example, selection)
        columns = parent.columns
        if not parent.transformed:
            columns = tuple(columns[i] for i in positions)
        return View(
            lambda: take(parent.example, positions),
            columns,
            number,
            lambda rows, _: take(rows, positions),
            width=len(positions),
            transformed=parent.transformed,
            drawn=parent.drawn,
        )

    def _drawn(self, number: int, times: Array) -> View:
        parent, rows = self[number], self.table.schema().rows
        total = times.sum(dtype=np.int64)
        fits = times.shape == (rows,) and times.dtype == np.uint8 and total <= 4 * rows + 1000
        if not fits or parent.drawn is not None:
            raise BadCells("draw")
        # rows that are taken often count for more: so many equally weighted ones would tell as much
        weight = np.square(times, dtype=np.int64).sum()

        def draw(rows: Any, chunk: Chunk) -> Any:
            here = times[chunk.start : chunk.start + shape(chunk.X)[0]]
            return take_rows(rows, np.repeat(np.arange(here.size), here))

        return View(
            lambda: parent.example,
            parent.columns,
            number,
            draw,
            width=parent.width,
            transformed=parent.transformed,
            drawn=Drawn(int(total**2 // max(weight, 1)), rows - int(np.count_nonzero(times))),
        )

    def _folded(self, number: int, change: Folds) -> View:
        parent = self[number]
        folds = row_folds(change.folds, self.table, grouped=change.grouped)
        _, sizes = np.unique(folds, return_counts=True)
        return View(
            lambda: parent.example,
            parent.columns,
            number,
            lambda rows, _: rows,
            width=parent.width,
            transformed=parent.transformed,
            drawn=Drawn(int(sizes.min(initial=folds.size)), 0),
            folds=folds,
        )

    def _applied(self, number: int, change: Apply) -> View:
        parent, learned = self[number], change.learned
        if learned.is_folded:
            learned = in_row_order(learned, self.table)
        try:
            estimator = blank(learned, self._look_up)
            fitted, example = assemble_with_row(estimator, learned, parent.example)
        except (BadCells, UsageError):
            raise
        except Exception:  # no text of an exception may leave: it can quote cells
            log.debug("%s could not be rebuilt", learned.estimator, exc_info=True)
            raise BadCells("estimator", what=learned.estimator) from None

        def transform(rows: Any, chunk: Chunk) -> Any:
            try:
                return rows_from(fitted, chunk.start).transform(rows)
            except Exception:  # as above
                log.debug("%s failed on the rows", learned.estimator, exc_info=True)
                raise BadCells("transform", what=learned.estimator) from None

        return View(
            lambda: example,
            parent.columns,
            number,
            transform,
            transformed=True,
            drawn=parent.drawn,
        )

    def _look_up(self, name: str) -> Any:
        """Return a function by name, if it is one that this client trusts."""
        if name in self._functions:
            return self._functions[name]
        home, _, attribute = name.rpartition(".")
        listed = name in self.policy.functions
        # exactly these homes: to import any module inside of them would run it
        if not listed and home not in SAFE_HOMES:
            raise BadCells("function", what=name)
        try:
            function = getattr(importlib.import_module(home), attribute)
        except (ImportError, AttributeError, ValueError):
            raise BadCells("function", what=name) from None
        if not listed and not isinstance(function, np.ufunc):
            raise BadCells("function", what=name)
        return function


def _made_up(schema: Schema) -> Any:
    return template(schema.container, schema.names, schema.width, schema.dtypes)


def chosen(example: Any, selection: Selection) -> list[int]:
    """Return the positions of the columns that a selection comes to."""
    width = shape(example)[1]
    if isinstance(selection, Named):
        known = names_of(example) or ()
        for name in selection.names:
            if name not in known:
                raise BadCells("no column", what=name)
        return positions_of(example, selection.names)
    if isinstance(selection, At):
        for i in selection.positions:
            if not -width <= i < width:
                raise BadCells("no column", what=f"number {i}")
        return [i % width for i in selection.positions]
    if isinstance(selection, Span):
        return _chosen_span(example, selection)
    if isinstance(selection, Except):
        taken = {i for part in selection.chosen for i in chosen(example, part)}
        return [i for i in range(width) if i not in taken]
    return _chosen_where(example, selection)


def _chosen_span(example: Any, selection: Span) -> list[int]:
    names = list(names_of(example) or ())

    def place(end: int | str | None, extra: int) -> int | None:
        if not isinstance(end, str):
            return end
        if end not in names:
            raise BadCells("no column", what=end)
        return names.index(end) + extra

    bounds = slice(place(selection.start, 0), place(selection.stop, 1), selection.step)
    return list(range(shape(example)[1])[bounds])


def _chosen_where(example: Any, selection: Where) -> list[int]:
    if not hasattr(example, "iloc"):
        raise BadCells("selection", None)
    selector = make_column_selector(
        selection.pattern,
        dtype_include=list(selection.include) or None,
        dtype_exclude=list(selection.exclude) or None,
    )
    return positions_of(example, selector(example))


__all__ = ["View", "Views", "chosen"]

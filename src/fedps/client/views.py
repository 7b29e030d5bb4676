"""Views: derived tables, rebuilt from the journal of tells whenever they are needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector

from fedps.assembly import assemble_with_row, blank, template
from fedps.client.blocks import Cells
from fedps.client.policy import Policy
from fedps.client.tables import Table, names_of, positions_of, shape, take
from fedps.client.tables.table import InMemory
from fedps.errors import UsageError
from fedps.protocol.messages import (
    TABLE,
    TARGET,
    Apply,
    At,
    Except,
    Named,
    Select,
    Selection,
    Span,
    Tell,
    Where,
)
from fedps.statistics import BadCells, Block

SAFE_HOMES = ("numpy.", "scipy.special.")


class View:
    """A table at this client: rows in chunks, and one row that shows its form."""

    def __init__(
        self,
        example: Any,
        columns: tuple[str, ...],
        parent: View | None,
        change: Callable[..., Any],
        *,
        keep: bool = False,
    ) -> None:
        self.example = example
        self.columns = columns  # the client's own columns that this view is made of
        self._parent = parent
        self._change = change
        self._keep = keep  # derived rows of a table in memory would be made again and again
        self._kept: list[Any] | None = None

    @property
    def width(self) -> int:
        """The number of columns."""
        return shape(self.example)[1]

    def chunks(self) -> Iterator[Any]:
        """Yield the rows, derived anew unless they were kept."""
        if self._kept is not None:
            return iter(self._kept)
        if self._parent is None:
            return iter(self._change())
        rows = map(self._change, self._parent.chunks())
        if self._keep:
            self._kept = list(rows)
            return iter(self._kept)
        return rows


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
        self._sources: list[Any] | None = None

    def tell(self, tell: Tell) -> None:
        """Note a derived view; it is made when it is first asked about."""
        self._tells[tell.view] = tell
        self._made.pop(tell.view, None)

    def blocks(self, number: int) -> Iterator[Block]:
        """Yield a view's rows as blocks that statistics can read."""
        view = self[number]
        for chunk, rows in zip(self.table.chunks(), view.chunks(), strict=True):
            yield Cells(rows, chunk)

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
        parent = self[tell.parent]
        if isinstance(tell.change, Select):
            return self._selected(parent, tell.change.columns)
        return self._applied(parent, tell.change)

    def _own_table(self) -> View:
        schema = self.table.schema()
        kept = self.policy.kept(schema)
        shown = self.policy.schema(schema)
        example = template(shown.container, shown.names, shown.width, shown.dtypes)
        columns = shown.names or tuple(map(str, range(shown.width)))
        return View(example, columns, None, lambda: (take(c.X, kept) for c in self.table.chunks()))

    def _own_target(self) -> View:
        schema = self.table.target_schema()
        if schema is None:
            raise BadCells("no target", None)
        example = template(schema.container, schema.names, schema.width, schema.dtypes)
        return View(example, ("target",), None, lambda: (c.y for c in self.table.chunks()))

    def _selected(self, parent: View, selection: Selection) -> View:
        positions = chosen(parent.example, selection)
        columns = parent.columns
        if len(columns) == parent.width:  # not after a transformer
            columns = tuple(columns[i] for i in positions)
        example = take(parent.example, positions)
        keep = isinstance(self.table, InMemory)
        return View(example, columns, parent, lambda rows: take(rows, positions), keep=keep)

    def _applied(self, parent: View, change: Apply) -> View:
        learned = change.learned
        try:
            estimator = blank(learned, self._look_up)
            fitted, example = assemble_with_row(estimator, learned, parent.example)
        except (BadCells, UsageError):
            raise
        except Exception:  # noqa: BLE001 - no text of an exception may leave: it can quote cells
            raise NotMade("estimator", learned.estimator) from None

        def transform(rows: Any) -> Any:
            try:
                return fitted.transform(rows)
            except Exception:  # noqa: BLE001 - as above
                raise NotMade("transform", learned.estimator) from None

        return View(
            example, parent.columns, parent, transform, keep=isinstance(self.table, InMemory)
        )

    def _look_up(self, name: str) -> Any:
        """Return a function by name, if it is one that this client trusts."""
        if name in self._functions:
            return self._functions[name]
        if not name.startswith(SAFE_HOMES) and name not in self.policy.functions:
            raise NotMade("function", name)
        home, _, attribute = name.rpartition(".")
        try:
            function = getattr(importlib.import_module(home), attribute)
        except (ImportError, AttributeError):
            raise NotMade("function", name) from None
        if name.startswith(SAFE_HOMES) and not isinstance(function, np.ufunc):
            raise NotMade("function", name)
        return function


class NotMade(BadCells):
    """A view could not be made; carries what could not, never a cell."""

    def __init__(self, rule: str, what: str) -> None:
        super().__init__(rule, None)
        self.what = what


def chosen(example: Any, selection: Selection) -> list[int]:
    """Return the positions of the columns that a selection comes to."""
    width = shape(example)[1]
    if isinstance(selection, Named):
        known = names_of(example) or ()
        for name in selection.names:
            if name not in known:
                raise NotMade("no column", name)
        return positions_of(example, selection.names)
    if isinstance(selection, At):
        for i in selection.positions:
            if not -width <= i < width:
                raise NotMade("no column", f"number {i}")
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
            raise NotMade("no column", end)
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


__all__ = ["NotMade", "View", "Views", "chosen"]

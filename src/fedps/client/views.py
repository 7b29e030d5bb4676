"""Views: derived tables, made from what the server told whenever they are needed."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from scipy.sparse import issparse

from fedps.assembly import assemble_with_row, checking, dummy_row, is_row_aware, rows_from, unfitted
from fedps.client.block import TableBlock
from fedps.client.owner_fit import KeptFit
from fedps.client.policy import Drawn, Policy, PolicyGate
from fedps.client.row_folds import folds_in, in_row_order, row_folds
from fedps.client.sampled_rows import PickedOut, Samples
from fedps.client.select_columns import selected_positions
from fedps.client.tables import Chunk, Table, shape, take, take_rows
from fedps.client.tables.table import InMemory
from fedps.client.work_limits import (
    check_cells,
    check_journal,
    check_parameter_sizes,
    check_patterns,
    check_repeats,
    check_width,
)
from fedps.errors import UsageError
from fedps.learned import Learned
from fedps.protocol.codec import encode_part
from fedps.protocol.messages import (
    TABLE,
    TARGET,
    Apply,
    Draw,
    Folds,
    Give,
    Keep,
    Select,
    Tell,
)
from fedps.statistics import BadCells, Block, Schema
from fedps.statistics.base import Array

log = logging.getLogger("fedps.client")

SAFE_HOMES = ("numpy", "scipy.special")  # their ufuncs need no entry in a policy


@dataclass(eq=False)
class DerivedTable:
    """A table at this client: how its rows come from its parent's, and one made-up row.

    ``columns`` are the client's own columns that it is made of; it is ``transformed`` if more was done
    than to select columns.
    """

    make_example: Callable[[], Any]
    columns: tuple[str, ...]
    parent: int | None
    change: Callable[[Any, Chunk], Any]
    known_width: int | None = None
    transformed: bool = False
    picked: PickedOut | None = None  # which of the client's rows, if not all are treated alike
    folds: Array | None = None  # the fold of each of the client's rows
    given: Array | None = None  # an array from the server, for a statistic to use
    model: Any = None  # the client's part of a model, which predicts for these rows

    @cached_property
    def example(self) -> Any:
        """One made-up row; made when it is first needed."""
        return self.make_example()

    @property
    def drawn(self) -> Drawn | None:
        """How few of the client's rows it picks out, for the policy; None if all are treated alike."""
        return None if self.picked is None else self.picked.drawn

    @property
    def width(self) -> int:
        """The number of columns."""
        return shape(self.example)[1] if self.known_width is None else self.known_width

    def with_rows(
        self, number: int, change: Callable[[Any, Chunk], Any], **more: Any
    ) -> DerivedTable:
        """Return a view of the same columns with changed rows; ``number`` is that of this view."""
        same = replace(self, make_example=lambda: self.example, parent=number, change=change)
        return replace(same, known_width=self.width, **more)


class Views:
    """All views of one client in one fit, made from what the server told so far.

    Parameters
    ----------
    table : Table
        The client's own table.
    policy : Policy
        What the client is willing to reveal.
    functions : mapping of str to callable, optional
        Functions that the server may name. Default: the server is not trusted, and its work is
        limited.
    """

    def __init__(
        self,
        table: Table,
        policy: Policy,
        functions: Mapping[str, Any] | None = None,
    ) -> None:
        self.table = table
        self.policy = policy
        self._gate = PolicyGate(policy)
        self._functions = functions or {}
        self._trusts = functions is not None
        self._tells: dict[int, Tell] = {}
        self._made: dict[int, DerivedTable] = {}
        self._kept: dict[int, Any] = {}
        self._sizes: dict[int, int] = {}  # bytes told of each view
        self._told = 0

    @cached_property
    def _samples(self) -> Samples:
        return Samples(self.table, bounded=not self._trusts)

    def tell(self, tell: Tell) -> None:
        """Note a derived view. It is made when it is first asked about."""
        if not self._trusts:
            self._weigh(tell)
            if isinstance(tell.change, Select):
                check_patterns(tell.change.columns)
        if tell.view in self._tells:  # told again, maybe differently: nothing made so far is valid
            self._made.clear()
            self._kept.clear()
        self._tells[tell.view] = tell

    def _weigh(self, tell: Tell) -> None:
        size = len(encode_part(tell.change))
        self._told += size - self._sizes.get(tell.view, 0)
        self._sizes[tell.view] = size
        check_journal(self._told)

    def passes(self) -> Iterator[Callable[[int], Block]]:
        """Go once over the table; for each chunk, yield what gives a view's block of its rows.

        A derived table is made once per chunk, however much is asked of it. Those of a table in
        memory, which is one chunk, are kept for later rounds.
        """
        in_memory = isinstance(self.table, InMemory)
        for chunk in self.table.chunks():
            made = self._kept if in_memory else {}
            # cached: several statistics may read the same view, which is converted once
            yield lru_cache(maxsize=None)(partial(self._block, chunk, made))

    def _block(self, chunk: Chunk, made: dict[int, Any], number: int) -> Block:
        rows = self._rows(number, chunk, made)
        view = self[number]
        folds = view.folds
        if folds is not None:
            folds = folds[chunk.start : chunk.start + shape(chunk.X)[0]]
        return TableBlock(
            rows,
            chunk,
            is_target=self._is_target(number),
            folds=folds,
            given=view.given,
            keys=getattr(self.table, "key", None),
            part=view.model,
        )

    def _rows(self, number: int, chunk: Chunk, made: dict[int, Any]) -> Any:
        if number not in made:
            view = self[number]
            parent = chunk if view.parent is None else self._rows(view.parent, chunk, made)
            made[number] = view.change(parent, chunk)
        return made[number]

    def _is_target(self, number: int) -> bool:
        parent = self[number].parent
        return number == TARGET if parent is None else self._is_target(parent)

    def __getitem__(self, number: int) -> DerivedTable:
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def _make(self, number: int) -> DerivedTable:
        if number == TABLE:
            return self._own_table()
        if number == TARGET:
            return self._own_target()
        if number not in self._tells:
            raise BadCells("journal", None)
        tell = self._tells[number]
        makers = self.makers(number)
        if type(tell.change) not in makers:
            self.demand_columns()
        return makers[type(tell.change)](tell.parent, tell.change)

    def makers(self, number: int) -> dict[type, Callable[[int, Any], DerivedTable]]:
        """Return the functions that make a view, by the kind of change that was told."""
        return {
            Apply: self._applied,
            Draw: self._drawn,
            Folds: self._folded,
            Give: self._given,
            Select: self._selected,
        }

    def demand_columns(self) -> None:
        """Refuse what is only for ``split="columns"``."""
        raise BadCells("split")

    def fit_part(self, tell: Tell, change: Keep) -> KeptFit:
        """Refuse: clients keep parts only with ``split="columns"``."""
        raise BadCells("split")

    def _own_table(self) -> DerivedTable:
        schema = self.table.schema()
        kept = self._gate.offered(schema)
        shown = self._gate.offered_schema(schema)
        columns = shown.names or tuple(map(str, range(shown.width)))
        return DerivedTable(
            lambda: _made_up(shown),
            columns,
            None,
            lambda _, chunk: take(chunk.X, kept),
            known_width=shown.width,
        )

    def _own_target(self) -> DerivedTable:
        schema = self.table.target_schema()
        if schema is None:
            raise BadCells("no target", None)
        return DerivedTable(
            lambda: _made_up(schema),
            (self.table.target_name or "target",),
            None,
            lambda _, chunk: chunk.y,
            known_width=schema.width,
        )

    def _given(self, number: int, change: Give) -> DerivedTable:
        parent = self[number]
        return parent.with_rows(number, lambda rows, _: rows, given=change.arrays[0])

    def _rebuilt(self, learned: Learned, build: Callable[[], Any]) -> Any:
        if not self._trusts:
            check_parameter_sizes(learned)
        try:
            with checking(None if self._trusts else check_width):
                return build()
        except (BadCells, UsageError):
            raise
        except Exception:  # no text of an exception may leave: it can quote cells
            log.debug("%s could not be rebuilt", learned.estimator, exc_info=True)
            raise BadCells("estimator", what=learned.estimator) from None

    def _selected(self, number: int, change: Select) -> DerivedTable:
        return self._taken(number, selected_positions(self[number].example, change.columns))

    def _taken(self, number: int, positions: list[int]) -> DerivedTable:
        parent = self[number]
        if max(positions, default=-1) >= parent.width:
            raise BadCells("no column")
        if not self._trusts:
            check_repeats(positions, parent.width)
        columns = parent.columns
        if not parent.transformed:
            columns = tuple(columns[i] for i in positions)
        return DerivedTable(
            lambda: take(parent.example, positions),
            columns,
            number,
            lambda rows, _: take(rows, positions),
            known_width=len(positions),
            transformed=parent.transformed,
            picked=parent.picked,
        )

    def _drawn(self, number: int, change: Draw) -> DerivedTable:
        parent, times = self[number], change.times
        picked = self._samples.draw(times, parent.picked)

        def draw(rows: Any, chunk: Chunk) -> Any:
            here = times[chunk.start : chunk.start + shape(chunk.X)[0]]
            return take_rows(rows, np.repeat(np.arange(here.size), here))

        return parent.with_rows(number, draw, picked=picked, folds=None)

    def _folded(self, number: int, change: Folds) -> DerivedTable:
        parent = self[number]
        folds = row_folds(change.folds, self.table, grouped=change.grouped)
        picked = self._samples.fold([folds], parent.picked)
        return parent.with_rows(number, lambda rows, _: rows, picked=picked, folds=folds)

    def _applied(self, number: int, change: Apply) -> DerivedTable:
        parent, learned = self[number], change.learned
        picked = parent.picked
        if learned.is_folded:
            learned = in_row_order(learned, self.table)
            if every := [
                *folds_in(learned)
            ]:  # each row's output tells its fold, which the policy must see
                picked = self._samples.fold(every, picked)
        fitted, example = self._rebuilt(
            learned,
            lambda: assemble_with_row(unfitted(learned, self._look_up), learned, parent.example),
        )
        if not self._trusts and isinstance(self.table, InMemory) and not issparse(example):
            check_cells(shape(example)[1], self.table.schema().rows)

        aware = is_row_aware(learned)

        def transform(rows: Any, chunk: Chunk) -> Any:
            try:
                told = rows_from(fitted, chunk.start) if aware else fitted
                return told.transform(rows)
            except Exception:  # no text of an exception may leave: it can quote cells
                log.debug("%s failed on the rows", learned.estimator, exc_info=True)
                raise BadCells("transform", what=learned.estimator) from None

        return DerivedTable(
            lambda: example,
            parent.columns,
            number,
            transform,
            transformed=True,
            picked=picked,
        )

    def _look_up(self, name: str) -> Any:
        """Return a function by name, if this client trusts it."""
        if name in self._functions:
            return self._functions[name]
        home, _, attribute = name.rpartition(".")
        listed = name in self.policy.functions
        # exactly these modules, not those inside them: importing a module runs its code
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
    return dummy_row(schema.container, schema.names, schema.width, schema.dtypes)

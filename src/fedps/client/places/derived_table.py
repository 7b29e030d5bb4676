"""DerivedTable: a table that a client makes from its own, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from fedps.assembly import dummy_row
from fedps.client.places.asked import TableKey
from fedps.client.places.sampled_rows import PickedOut
from fedps.client.rules.gate import Drawn, PolicyGate
from fedps.client.rules.lookups import Lookups
from fedps.client.rules.sources import Sources
from fedps.client.tables import Chunk, Table, shape, take, unshared
from fedps.protocol.codec import encode_part
from fedps.statistics import BadCells, Schema
from fedps.statistics.base import Array


@dataclass(eq=False)
class DerivedTable:
    """A table at this client: how its rows come from its parent's, and one made-up row.

    ``columns`` are the client's own columns that it is made of; it is ``transformed`` if more was done
    than to select columns.
    """

    make_example: Callable[[], Any]
    columns: tuple[str, ...]
    parent: TableKey | None
    change: Callable[[Any, Chunk], Any]
    known_width: int | None = None
    transformed: bool = False
    picked: PickedOut | None = None  # which of the client's rows, if not all are treated alike
    folds: Array | None = None  # the fold of each of the client's rows
    model: Any = None  # the client's part of a model, which predicts for these rows
    own: Sources | None = None  # of which of them each column is made, where that is not one to one
    draws: Callable[[Any, Chunk], Any] | None = None  # rows of a sample from those of the parent
    made: bytes = b""  # a digest of how it is made; empty for the client's own cells
    lookups: Lookups | None = None  # what went through the estimators that made it
    grouped: str | None = None  # the column by whose categories its rows are chosen
    hides: bool = False  # whether these rows are too few to be shown: it has none

    @cached_property
    def example(self) -> Any:
        """One made-up row; made when it is first needed."""
        return self.make_example()

    def folds_in(self, chunk: Chunk) -> Array | None:
        """Return the fold of each row of a chunk."""
        return None if self.folds is None else self.folds[chunk.start :][: shape(chunk.X)[0]]

    @property
    def sources(self) -> Sources:
        """The client's own columns that each column is made of."""
        if self.own is not None:
            return self.own
        if len(self.columns) == self.width and not self.transformed:
            return tuple(frozenset([name]) for name in self.columns)
        return (frozenset(self.columns),) * self.width

    @property
    def drawn(self) -> Drawn | None:
        """How few of the client's rows it picks out, for the policy; None if all are treated alike."""
        return None if self.picked is None else self.picked.drawn

    @property
    def width(self) -> int:
        """The number of columns."""
        return shape(self.example)[1] if self.known_width is None else self.known_width

    def made_by(self, how: Any) -> bytes:
        """Return the digest of a table that is made of this one; the same for the same cells."""
        return blake2b(self.made + encode_part(how), digest_size=16).digest()

    def with_rows(
        self, parent: TableKey, change: Callable[[Any, Chunk], Any], **more: Any
    ) -> DerivedTable:
        """Return a table of the same columns with changed rows; ``parent`` is the key of this one."""
        same = replace(
            self,
            make_example=lambda: self.example,
            parent=parent,
            change=change,
            draws=None,
            lookups=None,
        )
        return replace(same, known_width=self.width, **more)


def made_up_row(schema: Schema) -> Any:
    """Return a row that is like those of a table."""
    return dummy_row(schema.container, schema.names, schema.width, schema.dtypes)


def own_table(
    table: Table,
    gate: PolicyGate,
    order: Sequence[str] | None,
    weight: str | None,
    *,
    writable: bool,
) -> DerivedTable:
    """Return the columns of a client's own table that may be asked about, without the weights."""
    schema = table.schema()
    shown, kept = gate.offered_schema(schema), gate.offered(schema)
    chosen = list(range(shown.width))
    if weight is not None and weight not in (shown.names or ()):
        raise BadCells("no column", what=weight)
    if shown.names is not None:
        at = {name: i for i, name in enumerate(shown.names)}
        chosen = [at[name] for name in order or shown.names if name != weight]
    names = shown.names or tuple(map(str, range(shown.width)))
    own = [kept[i] for i in chosen]
    return DerivedTable(
        lambda: take(made_up_row(shown), chosen),
        tuple(names[i] for i in chosen),
        None,
        lambda _, chunk: unshared(take(chunk.X, own), writable=writable),
        known_width=len(chosen),
    )


def own_target(table: Table) -> DerivedTable:
    """Return a client's target as a table."""
    schema = table.target_schema()
    if schema is None:
        raise BadCells("no target", None)
    return DerivedTable(
        lambda: made_up_row(schema),
        (table.target_name or "target",),
        None,
        lambda _, chunk: chunk.y,
        known_width=schema.width,
    )

"""The messages: what a server asks and tells, and what a client replies."""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, get_args

from msgspec import Meta, Raw, Struct
from msgspec.msgpack import Decoder
from msgspec.structs import force_setattr

from fedps.learned import Learned, Place, read_for_columns, read_for_rows
from fedps.protocol.limits import MAX_ASKS
from fedps.statistics import AnyStatistic
from fedps.statistics.base import Array
from fedps.statistics.cells.schema import ColumnTexts, Positions, Schema, Text

ViewId = Annotated[int, Meta(ge=0, le=2**31)]
Number = Annotated[int, Meta(ge=1, le=2**31)]
Mark = Annotated[bytes, Meta(max_length=4)]

TABLE, TARGET = 0, 1  # the two views that exist without being told
QUERIES = 2**31  # rows to predict, if a client was given some


def mark(message: bytes) -> bytes:
    """Return what identifies a message: four bytes of its digest.

    Both sides compute it. It keeps rounds and fits apart; it does not prove who sent a message.
    """
    return blake2b(message, digest_size=4).digest()


class Message(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base of all messages: on the wire a list of exactly its fields."""


class Named(Message, frozen=True, array_like=True, tag="named"):
    """Columns by name."""

    names: ColumnTexts


class At(Message, frozen=True, array_like=True, tag="at"):
    """Columns by position; negative ones count from the end."""

    positions: Annotated[tuple[int, ...], Meta(max_length=100_000)]


class Span(Message, frozen=True, array_like=True, tag="span"):
    """Columns as a slice: ``stop`` is excluded for positions and included for names, as in pandas."""

    start: int | Text | None
    stop: int | Text | None
    step: int | None = None


class Where(Message, frozen=True, array_like=True, tag="where"):
    """Columns as scikit-learn's ``make_column_selector`` chooses them, at the client."""

    pattern: Text | None
    include: ColumnTexts
    exclude: ColumnTexts


class Except(Message, frozen=True, array_like=True, tag="except"):
    """All columns that are not in any of these selections."""

    chosen: Annotated[tuple[Named | At | Span | Where, ...], Meta(max_length=10_000)]


Selection = Named | At | Span | Where | Except


class Select(Message, frozen=True, array_like=True, tag="select"):
    """A view of some columns."""

    columns: Selection

    @property
    def is_private(self) -> bool:
        """Return False: all clients are told the same."""
        return False

    def part(self, place: Place) -> Select:
        """Return the message for the client at a place."""
        return self


class Apply(Message, frozen=True, array_like=True, tag="apply"):
    """A view of its parent, transformed by a fitted transformer."""

    learned: Learned

    def __post_init__(self) -> None:
        # a decoded Learned has plain names: only here is it known which shapes they are for
        force_setattr(self, "learned", read_for_rows(self.learned))

    @property
    def is_private(self) -> bool:
        """Whether each client is told something different."""
        return self.learned.is_private

    def part(self, place: Place) -> Apply:
        """Return the message for the client at a place."""
        return Apply(self.learned.part(place))


class Draw(Message, frozen=True, array_like=True, tag="draw"):
    """A view of some rows, such as a bootstrap sample: ``times`` says how often each row is taken.

    At the server it has an item for each pooled row; each client is told only its own items.
    """

    times: Array

    @property
    def is_private(self) -> bool:
        """Return True: each client is told something different."""
        return True

    def part(self, place: Place) -> Draw:
        """Return the message for the client at a place."""
        return Draw(self.times[place.rows])


class Folds(Message, frozen=True, array_like=True, tag="folds"):
    """A view of the same rows, each in a fold. Each client is told only its own rows' folds.

    If ``grouped``, the folds are for the client's rows sorted by label, labels in the order in which
    they first appear there.
    """

    folds: Array
    grouped: bool

    @property
    def is_private(self) -> bool:
        """Return True: each client is told something different."""
        return True

    def part(self, place: Place) -> Folds:
        """Return the message for the client at a place."""
        return Folds(self.folds[place.rows], self.grouped)


class Route(Message, frozen=True, array_like=True, tag="route"):
    """A view of some columns with ``split="columns"``: their positions at each client.

    At the server it has an item for each client; each client is told only its own item.
    """

    positions: Annotated[tuple[Positions, ...], Meta(max_length=100_000)]

    @property
    def is_private(self) -> bool:
        """Return True: each client is told something different."""
        return True

    def part(self, place: Place) -> Route:
        """Return the message for the client at a place."""
        return Route((self.positions[place.number],))


class Fit(Message, frozen=True, array_like=True, tag="fit"):
    """A view of its parent, transformed by a transformer that each client fits on its own columns.

    What depends on the columns of several clients is in ``learned``.
    """

    learned: Learned

    def __post_init__(self) -> None:
        # a decoded Learned has plain names: only here is it known which shapes they are for
        force_setattr(self, "learned", read_for_columns(self.learned))

    @property
    def is_private(self) -> bool:
        """Whether each client is told something different."""
        return self.learned.is_private

    def part(self, place: Place) -> Fit:
        """Return the message for the client at a place."""
        return Fit(self.learned.part(place))


class Give(Message, frozen=True, array_like=True, tag="give"):
    """A view of the same rows, with an array for a statistic to use. Each client gets only its own."""

    arrays: Annotated[tuple[Array, ...], Meta(max_length=100_000)]

    @property
    def is_private(self) -> bool:
        """Return True: each client is told something different."""
        return True

    def part(self, place: Place) -> Give:
        """Return the message for the client at a place."""
        return Give((self.arrays[place.number],))


class Keep(Message, frozen=True, array_like=True, tag="keep"):
    """What was learned: each client fits its part on its own columns and keeps it under a name.

    It is the last message of a fit with ``split="columns"``, and asks nothing. With ``outputs`` the
    client also keeps its transformed rows.
    """

    fit: Text
    learned: Learned
    outputs: bool

    def __post_init__(self) -> None:
        # as in Fit: these are the shapes for split="columns"
        force_setattr(self, "learned", read_for_columns(self.learned))

    @property
    def is_private(self) -> bool:
        """Whether each client is told something different."""
        return self.learned.is_private

    def part(self, place: Place) -> Keep:
        """Return the message for the client at a place."""
        return Keep(self.fit, self.learned.part(place), self.outputs)


class UseFit(Message, frozen=True, array_like=True, tag="use"):
    """A view of the rows to predict, as the model that each client kept of a fit gets them."""

    fit: Text

    @property
    def is_private(self) -> bool:
        """Return False: all clients are told the same."""
        return False

    def part(self, place: Place) -> UseFit:
        """Return the message for the client at a place."""
        return self


Change = Select | Apply | Draw | Folds | Route | Fit | Give | Keep | UseFit


class Tell(Message, frozen=True, array_like=True):
    """Defines a derived table; sent with the next round."""

    view: ViewId
    parent: ViewId
    change: Change


class Ask(Message, frozen=True, array_like=True):
    """Asks for a statistic of a view."""

    statistic: AnyStatistic
    view: ViewId


class Round(Message, frozen=True, array_like=True):
    """What all clients are told and asked at once.

    ``after`` is the mark of the previous round, as this client got it. If it is empty, a new journal of
    tells begins: in round 1, and when a server goes on from a checkpoint.
    """

    number: Number
    tells: Annotated[tuple[Tell, ...], Meta(max_length=MAX_ASKS)]
    asks: Annotated[tuple[Ask, ...], Meta(max_length=MAX_ASKS)]
    after: Mark = b""

    @property
    def is_private(self) -> bool:
        """Whether each client is told something different."""
        return any(tell.change.is_private for tell in self.tells)

    def part(self, place: Place) -> Round:
        """Return the round for the client at a place."""
        tells = tuple(Tell(t.view, t.parent, t.change.part(place)) for t in self.tells)
        return Round(self.number, tells, self.asks, self.after)


class Refusal(Message, frozen=True, array_like=True, tag="!refused"):
    """The client's policy does not allow it. Names the rule and its limit, nothing about the data."""

    rule: Text
    limit: Text
    column: Text | None = None


class Failure(Message, frozen=True, array_like=True, tag="!failed"):
    """The client could not do it. Names the rule and the column, never a cell."""

    rule: Text
    column: Text | None = None


class Reply(Message, frozen=True, array_like=True):
    """One client's answers, in the order of the asks.

    ``schemas`` (of the table and, if asked about, of the target) are sent only when a journal begins.
    ``chosen`` holds the positions of the columns in each new selection that is not by name.
    ``problem`` replaces everything else if the round as a whole was refused or failed.
    ``to`` is the mark of the message that this answers.
    """

    client: Text
    round: Number
    schemas: Annotated[tuple[Schema, ...], Meta(max_length=2)]
    chosen: Annotated[tuple[Positions, ...], Meta(max_length=MAX_ASKS)]
    answers: Annotated[tuple[Raw, ...], Meta(max_length=MAX_ASKS)]
    problem: Refusal | Failure | None = None
    to: Mark = b""


# msgspec compiles a type when it is first decoded, and two threads that do so at once crash the
# process: compile everything that travels here, at import.
for _kind in (
    Round,
    Reply,
    *(known.summary | Refusal | Failure for known in get_args(AnyStatistic)),
):
    Decoder(_kind)

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

TABLE, TARGET = 0, 1  # the two views that every client has
QUERIES = 2**31  # rows to predict, where a client was lent some


def mark(message: bytes) -> bytes:
    """Return what tells a message from others: four bytes of its digest.

    Both sides work it out. It keeps rounds and fits apart; it is no proof of who sent something.
    """
    return blake2b(message, digest_size=4).digest()


class Message(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Anything of this file: on the wire a list of its fields, no fewer and no more."""


class Named(Message, frozen=True, array_like=True, tag="named"):
    """Columns by name."""

    names: ColumnTexts


class At(Message, frozen=True, array_like=True, tag="at"):
    """Columns by position; negative ones count from the end."""

    positions: Annotated[tuple[int, ...], Meta(max_length=100_000)]


class Span(Message, frozen=True, array_like=True, tag="span"):
    """Columns from one to another: positions without the last, or names with it, as a slice."""

    start: int | Text | None
    stop: int | Text | None
    step: int | None = None


class Where(Message, frozen=True, array_like=True, tag="where"):
    """Columns as scikit-learn's ``make_column_selector`` chooses them, at the client."""

    pattern: Text | None
    include: ColumnTexts
    exclude: ColumnTexts


class Except(Message, frozen=True, array_like=True, tag="except"):
    """All columns that none of these choose."""

    chosen: Annotated[tuple[Named | At | Span | Where, ...], Meta(max_length=10_000)]


Selection = Named | At | Span | Where | Except


class Select(Message, frozen=True, array_like=True, tag="select"):
    """A view of some columns."""

    columns: Selection

    @property
    def is_private(self) -> bool:
        """All clients are told the same."""
        return False

    def part(self, place: Place) -> Select:
        """Return what the client at a place is told."""
        return self


class Apply(Message, frozen=True, array_like=True, tag="apply"):
    """A view of what a fitted transformer makes of its parent."""

    learned: Learned

    def __post_init__(self) -> None:
        # a decoded Learned has plain names: only here is it known which shapes they are for
        force_setattr(self, "learned", read_for_rows(self.learned))

    @property
    def is_private(self) -> bool:
        """Whether each client is told something else."""
        return self.learned.is_private

    def part(self, place: Place) -> Apply:
        """Return what the client at a place is told."""
        return Apply(self.learned.part(place))


class Draw(Message, frozen=True, array_like=True, tag="draw"):
    """A view of some rows: ``times`` says how often each is taken, as a sample of all rows has it.

    The server's has an item for each row of all clients; each client is told only its own.
    """

    times: Array

    @property
    def is_private(self) -> bool:
        """Each client is told something else."""
        return True

    def part(self, place: Place) -> Draw:
        """Return what the client at a place is told."""
        return Draw(self.times[place.rows])


class Folds(Message, frozen=True, array_like=True, tag="folds"):
    """A view of the same rows, each in a fold. Each client is told only its own rows' folds.

    ``grouped`` folds are for a client's rows label by label, as the labels first appear there.
    """

    folds: Array
    grouped: bool

    @property
    def is_private(self) -> bool:
        """Each client is told something else."""
        return True

    def part(self, place: Place) -> Folds:
        """Return what the client at a place is told."""
        return Folds(self.folds[place.rows], self.grouped)


class Route(Message, frozen=True, array_like=True, tag="route"):
    """A view of some columns, where each client has other ones: their positions at each.

    The server's has an item for each client; each client is told only its own.
    """

    positions: Annotated[tuple[Positions, ...], Meta(max_length=100_000)]

    @property
    def is_private(self) -> bool:
        """Each client is told something else."""
        return True

    def part(self, place: Place) -> Route:
        """Return what the client at a place is told."""
        return Route((self.positions[place.number],))


class Fit(Message, frozen=True, array_like=True, tag="fit"):
    """A view of what a transformer makes of its parent, fitted by each client on its own rows.

    What its columns cannot know without those of the others is learned already.
    """

    learned: Learned

    def __post_init__(self) -> None:
        # a decoded Learned has plain names: only here is it known which shapes they are for
        force_setattr(self, "learned", read_for_columns(self.learned))

    @property
    def is_private(self) -> bool:
        """Whether each client is told something else."""
        return self.learned.is_private

    def part(self, place: Place) -> Fit:
        """Return what the client at a place is told."""
        return Fit(self.learned.part(place))


class Give(Message, frozen=True, array_like=True, tag="give"):
    """A view of the same rows, with an array beside it. Each client is told only its own."""

    arrays: Annotated[tuple[Array, ...], Meta(max_length=100_000)]

    @property
    def is_private(self) -> bool:
        """Each client is told something else."""
        return True

    def part(self, place: Place) -> Give:
        """Return what the client at a place is told."""
        return Give((self.arrays[place.number],))


class Keep(Message, frozen=True, array_like=True, tag="keep"):
    """What was learned, for each client to fit on its own columns and to keep under a name.

    It is the last message of a fit with ``split="columns"``: nothing is asked. With ``outputs`` the
    client also keeps what its fitted part makes of its rows.
    """

    fit: Text
    learned: Learned
    outputs: bool

    def __post_init__(self) -> None:
        # as of Fit: these are the shapes for owners of columns
        force_setattr(self, "learned", read_for_columns(self.learned))

    @property
    def is_private(self) -> bool:
        """Whether each client is told something else."""
        return self.learned.is_private

    def part(self, place: Place) -> Keep:
        """Return what the client at a place is told."""
        return Keep(self.fit, self.learned.part(place), self.outputs)


class UseFit(Message, frozen=True, array_like=True, tag="use"):
    """A view of the rows to predict, as the model gets them that each client kept of a fit."""

    fit: Text

    @property
    def is_private(self) -> bool:
        """All clients are told the same."""
        return False

    def part(self, place: Place) -> UseFit:
        """Return what the client at a place is told."""
        return self


Change = Select | Apply | Draw | Folds | Route | Fit | Give | Keep | UseFit


class Tell(Message, frozen=True, array_like=True):
    """Defines a derived table; rides in the next round."""

    view: ViewId
    parent: ViewId
    change: Change


class Ask(Message, frozen=True, array_like=True):
    """Asks for a statistic of a view."""

    statistic: AnyStatistic
    view: ViewId


class Round(Message, frozen=True, array_like=True):
    """What all clients are told and asked at once.

    ``after`` is the mark of the round before, as this client got it. Without one a new journal of
    tells begins: in round 1, and where a server goes on from a checkpoint.
    """

    number: Number
    tells: Annotated[tuple[Tell, ...], Meta(max_length=MAX_ASKS)]
    asks: Annotated[tuple[Ask, ...], Meta(max_length=MAX_ASKS)]
    after: Mark = b""

    @property
    def is_private(self) -> bool:
        """Whether each client is told something else."""
        return any(tell.change.is_private for tell in self.tells)

    def part(self, place: Place) -> Round:
        """Return the round for the client at a place."""
        tells = tuple(Tell(t.view, t.parent, t.change.part(place)) for t in self.tells)
        return Round(self.number, tells, self.asks, self.after)


class Refusal(Message, frozen=True, array_like=True, tag="!refused"):
    """The policy said no. Names the rule and its limit, never what the data was."""

    rule: Text
    limit: Text
    column: Text | None = None


class Failure(Message, frozen=True, array_like=True, tag="!failed"):
    """The client could not. Names the rule and the column, never a cell."""

    rule: Text
    column: Text | None = None


class Reply(Message, frozen=True, array_like=True):
    """One client's answers, in the order of the asks.

    ``schemas`` (of the table and, if asked about, of the target) come only where a journal begins.
    ``chosen`` holds the positions of the columns that each new selection other than by name came to.
    ``problem`` stands instead of everything else when the round as a whole was refused or failed.
    ``to`` is the mark of the message that this answers.
    """

    client: Text
    round: Number
    schemas: Annotated[tuple[Schema, ...], Meta(max_length=2)]
    chosen: Annotated[tuple[Positions, ...], Meta(max_length=MAX_ASKS)]
    answers: Annotated[tuple[Raw, ...], Meta(max_length=MAX_ASKS)]
    problem: Refusal | Failure | None = None
    to: Mark = b""


# msgspec works out a type when it is first decoded, and two threads that do so at once crash the
# process: let it be done here, for everything that travels.
for _kind in (
    Round,
    Reply,
    *(known.summary | Refusal | Failure for known in get_args(AnyStatistic)),
):
    Decoder(_kind)

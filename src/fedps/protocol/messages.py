"""The messages: what a server asks and tells, and what a client replies."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Literal, get_args

import numpy as np
from msgspec import Meta, Raw, Struct, structs
from msgspec.msgpack import Decoder

from fedps.learned import Described, Numbers, Stand
from fedps.protocol.limits import MAX_ASKS, MAX_PLACES, MAX_WIDTH
from fedps.questions import Declared, FitSetting
from fedps.statistics import AnyStatistic
from fedps.statistics.base import Array
from fedps.statistics.cells.schema import ColumnTexts, Positions, Schema, Text

PlaceNumber = Annotated[int, Meta(ge=0, lt=MAX_PLACES)]
RowNumber = Annotated[int, Meta(ge=0, le=2**53)]
Number = Annotated[int, Meta(ge=1, le=2**31)]
ColumnNumber = Annotated[int, Meta(ge=0, le=4 * MAX_WIDTH)]  # of all clients
Mark = Annotated[bytes, Meta(max_length=4)]


def mark(message: bytes) -> bytes:
    """Return what identifies a message: four bytes of its digest.

    Both sides compute it. It keeps rounds and fits apart; it does not prove who sent a message.
    """
    return blake2b(message, digest_size=4).digest()


class Message(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base of all messages: on the wire a list of exactly its fields."""


class Request(Message, frozen=True, array_like=True):
    """What a fit is about. It comes first, and everything that a client computes follows from it.

    ``pipeline`` is None where only schemas are asked for, or the keys of rows. ``weight`` names the column
    of row weights. ``quantiles`` and ``frequent`` are the sketches that the user chose. ``outputs`` says
    whether clients' transformed rows are wanted, too. ``clients`` is how many take part. ``across`` is for
    ``split="columns"``, where ``fit`` is the name under which clients keep their parts. If ``match`` is given, the
    fit is about the rows that were found in the match of that name. A match is a fit without a pipeline:
    clients keep the rows that all of them have.
    """

    pipeline: Described | None
    clients: Annotated[int, Meta(ge=1, le=2**31)] = 1
    outputs: bool = False
    weight: Text | None = None
    quantiles: AnyStatistic | None = None
    frequent: AnyStatistic | None = None
    across: bool = False
    fit: Text | None = None
    match: Text | None = None

    @property
    def matches(self) -> bool:
        """Whether rows are matched, by keys that nobody shows."""
        return self.across and self.pipeline is None and self.fit is not None

    @property
    def needs_consent(self) -> bool:
        """Whether an owner who consents must approve it: all but the schema, and digests of all keys."""
        return self.pipeline is not None or self.matches

    def declared(self) -> Declared:
        """Return the questions that may be asked about what this describes."""
        setting = FitSetting(
            self.quantiles,
            self.frequent,
            self.weight,
            self.clients,
            self.outputs,
            self.across,
            self.matches,
        )
        return Declared(self.pipeline, setting)


class Order(Message, frozen=True, array_like=True, tag="order"):
    """The order of the columns from here on: each client's columns are in its own before."""

    names: ColumnTexts


class Fitted(Message, frozen=True, array_like=True, tag="fitted"):
    """What was learned for the estimator at a place. Its parameters are the pipeline's.

    ``trial`` is for numbers that are tried on the way: something of what they give is asked.
    """

    place: PlaceNumber
    numbers: Numbers
    trial: bool = False


class Among(Message, frozen=True, array_like=True, tag="among"):
    """Where a client's rows stand among all rows, from which it draws its own of a sample, or its folds.

    ``start`` is the number of rows before, ``rows`` that of all. ``state`` is that of a generator, where
    the pipeline has no seed. For folds by class: ``classes`` has the rows of each class, in the order in
    which they first appear; ``own`` says which of them this client's labels are, in the order of their
    first rows there, and ``before`` how many rows of each the clients before have. ``folds`` are this
    client's own, where the user lists the folds of all rows.
    """

    place: PlaceNumber
    start: RowNumber
    rows: RowNumber
    state: np.random.RandomState | None = None
    classes: Array | None = None
    own: Array | None = None
    before: Array | None = None
    folds: Array | None = None


class Given(Message, frozen=True, array_like=True, tag="given"):
    """An array for a question of this round to use, for this client alone; the ask has its number."""

    number: Number
    array: Array


class Beside(Message, frozen=True, array_like=True, tag="beside"):
    """Where a client's columns stand among those of all, with ``split="columns"``.

    ``first`` is the number of columns before, ``columns`` that of all.
    """

    first: ColumnNumber
    columns: ColumnNumber


class Keep(Message, frozen=True, array_like=True, tag="keep"):
    """The last message of a fit with ``split="columns"``: each client fits its part, and keeps it.

    The request has the name under which it is kept, and whether transformed rows are, too. Of a prediction,
    what is kept is the array that the owner of the target is given: the predictions.
    """


class Predict(Message, frozen=True, array_like=True, tag="predict"):
    """That rows are predicted by a fit that clients have kept, with ``split="columns"``.

    ``rows`` are the clients' own, or new ones that their settings name; ``match`` names those of them that all
    clients have, where rows are matched. ``to_target`` says that the owner of the target will get the predictions.
    """

    rows: Literal["own", "new"]
    to_target: bool = False
    match: Text | None = None


@dataclass(frozen=True, eq=False)
class PerStand:
    """A message of which each client gets its own; it exists at the server only."""

    each: tuple[Among, ...] | tuple[Beside, ...] | tuple[Given, ...] | tuple[Order, ...]


Tell = Order | Fitted | Among | Beside | Given | Keep | Predict


class Ask(Message, frozen=True, array_like=True):
    """Asks a declared question at a place.

    ``free`` has what a search chooses; all else follows from the pipeline. ``columns`` are some of the
    place's columns, where the question may be asked of some; ``given`` is the number of an array to use.
    """

    place: PlaceNumber
    question: Annotated[int, Meta(ge=0, le=100_000)]
    free: Raw = Raw(b"\x90")
    columns: Positions | None = None
    given: Number | None = None


class Round(Message, frozen=True, array_like=True):
    """What all clients are told and asked at once.

    ``after`` is the mark of the previous round, as this client got it. If it is empty, a new journal
    begins, with a request: in round 1, and when a server goes on from a checkpoint.
    """

    number: Number
    tells: Annotated[tuple[Tell, ...], Meta(max_length=MAX_ASKS)]
    asks: Annotated[tuple[Ask, ...], Meta(max_length=MAX_ASKS)]
    after: Mark = b""
    request: Request | None = None

    @property
    def is_private(self) -> bool:
        """Whether each client is told something different."""
        return any(_is_private(tell) for tell in self.tells)

    def part(self, stand: Stand) -> Round:
        """Return the round for the client at a stand."""
        return structs.replace(self, tells=tuple(_part(tell, stand) for tell in self.tells))


def _is_private(tell: Tell | PerStand) -> bool:
    return isinstance(tell, PerStand) or (isinstance(tell, Fitted) and tell.numbers.is_private)


def _part(tell: Tell | PerStand, stand: Stand) -> Tell:
    """Return what the client at a stand is told."""
    if isinstance(tell, PerStand):
        return tell.each[stand.number]
    if isinstance(tell, Fitted):
        return structs.replace(tell, numbers=tell.numbers.part(stand))
    return tell


class Refusal(Message, frozen=True, array_like=True, tag="!refused"):
    """The client's policy does not allow it. Names the rule and its limit, nothing about the data."""

    rule: Text
    limit: Text
    column: Text | None = None


class Failure(Message, frozen=True, array_like=True, tag="!failed"):
    """The client could not do it. Names the rule and the column, never a cell."""

    rule: Text
    column: Text | None = None


class KeptBack(Message, frozen=True, array_like=True):
    """A rule of the client's policy, what is shown instead because of it, and of which columns."""

    rule: Text
    shown: Text
    columns: Positions


class ShownLess(Message, frozen=True, array_like=True, tag="!less"):
    """A summary that shows less than was asked, and why."""

    summary: Raw
    kept_back: Annotated[tuple[KeptBack, ...], Meta(max_length=MAX_ASKS)]


class Reply(Message, frozen=True, array_like=True):
    """One client's answers, in the order of the asks.

    ``schemas`` (of the table and, if asked about, of the target) are sent only when a journal begins.
    ``problem`` replaces everything else if the round as a whole was refused or failed.
    ``to`` is the mark of the message that this answers.
    """

    client: Text
    round: Number
    schemas: Annotated[tuple[Schema, ...], Meta(max_length=2)]
    answers: Annotated[tuple[Raw, ...], Meta(max_length=MAX_ASKS)]
    problem: Refusal | Failure | None = None
    to: Mark = b""


# msgspec compiles a type when it is first decoded, and two threads that do so at once crash the
# process: compile everything that travels here, at import.
for _kind in (
    Round,
    Reply,
    *(known.summary | Refusal | Failure | ShownLess for known in get_args(AnyStatistic)),
    *(known.summary for known in get_args(AnyStatistic)),
):
    Decoder(_kind)

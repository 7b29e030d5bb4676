"""Entry: one line of a ledger, and what it charges."""

from __future__ import annotations

from hashlib import blake2b

import msgspec
from msgspec import Struct

IN_PROCESS = "in process"
SCHEMA_ENTRY = "Schema"  # the first entry of every fit: fits are counted by it
KEPT_ENTRY = "Keep"  # what a fit with split="columns" ends with: a fitted part that stays here

_encoder = msgspec.json.Encoder()


class Charge(Struct, frozen=True, array_like=True):
    """What an answer tells about one column.

    Two charges of a column with the same key are for the same: the second one costs nothing.

    Parameters
    ----------
    column : str
        The column.
    values : int
        How many single values of the column the answer shows.
    numbers : int
        How many numbers about the column it tells.
    key : str
        A short digest of what is told.
    """

    column: str
    values: int
    numbers: int
    key: str


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer that was sent, refused, failed or kept: when, to whom, what, of which columns.

    ``columns`` are all that were read, and ``question`` says in words what for. ``digest`` is of the
    answer's bytes: an auditor who has the message can check that it is the one. ``charges`` are those that
    no entry before has. ``times`` is how many equal answers it stands for. ``line`` is its number in
    the file, and ``before`` the digest of the line before, so that a line that is missing is noticed.
    What has its default is not written.
    """

    time: str
    peer: str
    round: int
    statistic: str
    question: str = ""
    columns: tuple[str, ...]
    level: str
    bytes: int
    digest: str
    outcome: str
    pipeline: str = ""
    approval: str = ""
    charges: tuple[Charge, ...] = ()
    times: int = 1
    line: int = 0
    before: str = ""

    @property
    def is_fit(self) -> bool:
        """Whether a fit begins with it."""
        return self.statistic == SCHEMA_ENTRY and self.outcome == "sent"

    def kind(self) -> str:
        """Return a digest that two entries share if the second tells nothing that the first does not.

        For what was refused or failed, neither the pipeline nor the text of the answer matters: a server
        could vary them for ever.
        """
        about = (self.peer, self.outcome, self.statistic, self.question, self.columns)
        if self.outcome in ("refused", "failed"):
            return line_digest(_encoder.encode(about))
        more = (self.level, self.pipeline, self.approval, self.digest)
        return line_digest(_encoder.encode((about, more)))


def line_of(entry: Entry) -> bytes:
    """Return the line of an entry, without its end."""
    return _encoder.encode(entry)


def line_digest(line: bytes) -> str:
    """Return what the next line says about a line.

    >>> line_digest(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return blake2b(line, digest_size=16).hexdigest()

"""What can go wrong, and whose fault it is.

::

    FedPSError
    ├── UsageError          yours: a parameter, a column name, an estimator FedPS cannot federate
    │   └── NotFederated    an estimator or parameter that has no federated form here
    ├── ClientError         a client could not do as asked: it lacks the column, the cells are not numbers
    │   ├── Disagreement    clients' tables do not fit together
    │   └── Refused         a client's policy said no
    ├── PeerError           a peer sent something that is not a valid message
    └── TransportError      a peer could not be reached

Every message says who, what, which column, which limit and the way out. None quotes a cell.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Self


class FedPSError(Exception):
    """Any error that FedPS raises on purpose.

    ``clients`` are those that it is about, where it is about some, and ``round`` is when it happened.
    """

    clients: tuple[str, ...] = ()
    round: int | None = None

    def about(self, *clients: str) -> Self:
        """Return the error, with the clients that it is about."""
        self.clients = clients
        return self

    def in_round(self, number: int) -> Self:
        """Return the error, with the round in which it happened at the end of its text."""
        if self.round is None:
            self.round = number
            self.args = (f"{self} [round {number}]",)
        return self

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the caller's line and the sentence, not our frames."""
        ours = (str(Path(__file__).parent), "IPython", "ipykernel")
        frames = traceback.extract_tb(self.__traceback__)
        own = [frame for frame in frames if not any(part in frame.filename for part in ours)]
        shown = traceback.format_list(own[-1:])
        return [*"".join(shown).rstrip().splitlines(), f"{type(self).__name__}: {self}"]


class UsageError(FedPSError, ValueError):
    """Something in the call cannot be right."""


class NotFederated(UsageError):
    """An estimator, or one of its parameters, has no federated form here."""


class ClientError(FedPSError):
    """A client could not do what was asked of it."""


class Disagreement(ClientError):
    """The clients' tables do not fit together."""


class Refused(ClientError):
    """A client's policy said no."""


class PeerError(FedPSError):
    """A peer sent something that is not a valid message."""


class TransportError(FedPSError):
    """A peer could not be reached, or answered something else than it was asked."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the nearest known name, or nothing.

    >>> did_you_mean("agee", ["age", "chol"])
    " Did you mean 'age'?"
    """
    near = get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""

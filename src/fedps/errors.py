"""The errors that FedPS raises.

::

    FedPSError
    ├── UsageError          a call that cannot work: a wrong parameter, an unknown column
    │   └── NotFederated    an estimator or a parameter that FedPS does not support
    ├── ClientError         a client failed: it lacks a column, or its cells are not numbers
    │   ├── Disagreement    clients' tables do not fit together
    │   └── Refused         a client's policy does not allow it
    ├── PeerError           a peer sent something that is not a valid message
    └── TransportError      a peer could not be reached, or did not answer what was asked

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

    Attributes
    ----------
    clients : tuple of str
        The clients that the error is about; empty if it is not about particular clients.
    round : int or None
        The round in which it happened, if it happened in one.
    """

    clients: tuple[str, ...] = ()
    round: int | None = None

    def about(self, *clients: str) -> Self:
        """Return the error, with the clients that it is about.

        Parameters
        ----------
        *clients : str
            Their names.
        """
        self.clients = clients
        return self

    def in_round(self, number: int) -> Self:
        """Return the error, with the round in which it happened, also at the end of its text.

        Parameters
        ----------
        number : int
            The number of the round, from 1 on.
        """
        if self.round is None:
            self.round = number
            self.args = (f"{self} [round {number}]",)
        return self

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the caller's line and the message, not our frames."""
        ours = (str(Path(__file__).parent), "IPython", "ipykernel")
        frames = traceback.extract_tb(self.__traceback__)
        own = [frame for frame in frames if not any(part in frame.filename for part in ours)]
        shown = traceback.format_list(own[-1:])
        return [*"".join(shown).rstrip().splitlines(), f"{type(self).__name__}: {self}"]


class UsageError(FedPSError, ValueError):
    """A call cannot work: a parameter is wrong, a column is unknown, an estimator is not fitted."""


class NotFederated(UsageError):
    """FedPS does not support an estimator, or one of its parameters."""


class ClientError(FedPSError):
    """A client failed: for example, it lacks a column, or its cells are not numbers."""


class Disagreement(ClientError):
    """The clients' tables do not fit together: their columns, rows or kinds of values differ."""


class Refused(ClientError):
    """A client's policy does not allow what was asked."""


class PeerError(FedPSError):
    """A peer sent something that is not a valid message."""


class TransportError(FedPSError):
    """A peer could not be reached, or did not answer what was asked."""


def named_in_words(names: Iterable[object], most: int = 5) -> str:
    """Return some names as a list in words, the first few of many.

    >>> named_in_words(["age", "chol"]), named_in_words("abcdefgh")
    ("'age', 'chol'", "'a', 'b', 'c', 'd', 'e' and 3 more")
    """
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(map(repr, every[:most])) + more


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the nearest known name, or nothing.

    >>> did_you_mean("agee", ["age", "chol"])
    " Did you mean 'age'?"
    """
    near = get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""

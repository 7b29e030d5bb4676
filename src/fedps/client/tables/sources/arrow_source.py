"""ArrowSource: what a table that is read batch by batch must tell, wherever its rows live."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from fedps.client.tables.sources.arrow_frames import frame_from_arrow, frame_library
from fedps.errors import UsageError
from fedps.statistics import BadCells
from fedps.statistics.cells.schema import Container

log = logging.getLogger("fedps.client")


class SourceFault(BadCells, UsageError):  # noqa: N818 - as BadCells
    """A source cannot be read any more. The sentence is for the owner; a server is told the rule.

    ``rule`` is a key of ``RULES`` in ``protocol/problem_texts``. Neither has a cell, a query or a password.
    """

    def __init__(self, rule: str, sentence: str) -> None:
        BadCells.__init__(self, rule)
        self.args = (sentence,)
        log.error("%s", sentence)


class ArrowSource(ABC):
    """Rows as Arrow tables, as often as needed, that are never all in memory.

    Attributes
    ----------
    schema : pyarrow.Schema
        The columns. All tables have it.
    rows : int
        How many rows there are.
    nulls : mapping of str to int
        How many cells of each column are null.
    filled : set of str
        Columns of floats that are known to have a number, and not only NaN.
    unordered : str or None
        Why the rows have no order; None if they have one.
    nan_for_none : bool
        Whether a missing text is NaN in pandas, as from ``read_csv``.
    """

    schema: Any
    rows: int
    nulls: Mapping[str, int]
    filled: AbstractSet[str]
    unordered: str | None = None
    nan_for_none = False
    widens = True  # whether integers with gaps become floats, as in pandas

    @property
    def container(self) -> Container:
        """The library of the frames."""
        return frame_library()

    def frame(self, table: Any) -> Any:
        """Return an Arrow table as a frame of that library."""
        return frame_from_arrow(table)

    @abstractmethod
    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows, as Arrow tables of any size."""

    def head(self) -> Any | None:
        """Return the first rows, or None if there are none."""
        return next((table for table in self.tables() if table.num_rows), None)

    @property
    def is_surveyed(self) -> bool:
        """Whether ``rows``, ``nulls`` and ``filled`` are known without reading the rows for it."""
        return True

    def fingerprint(self) -> str:
        """Return what differs if rows do; empty if that is not known."""
        return ""

    def keep_order(self) -> None:  # noqa: B027 - most sources have nothing to do for it
        """Demand that all passes from now on have the rows in the same order."""

    def rest(self) -> None:  # noqa: B027 - as above
        """Close what is open until rows are read again; what was found out about them stays."""

    def release(self) -> None:  # noqa: B027 - as above
        """Let go of the rows as they are: those of the next pass may be others."""

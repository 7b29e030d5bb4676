"""OwnerState: what an owner of columns has besides its table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fedps.client.owner.fit_secrets import FitSecrets
from fedps.client.owner.kept_matches import KeptMatches
from fedps.client.owner.owner_files import OwnerFiles
from fedps.client.owner.owner_fit import KeptFit
from fedps.client.tables import Table
from fedps.client.tables.owned_table import OwnedTable
from fedps.statistics import BadCells


@dataclass(eq=False)
class OwnerState:
    """An owner's secrets, the rows that it matched, and its parts of fits.

    Parameters
    ----------
    secrets : FitSecrets
        What it alone knows of fits that are under way. Default: in memory.
    matches : KeptMatches
        The rows that it found in matches. Default: in memory.
    files : OwnerFiles, optional
        Where it keeps its parts, on an engine. Default: in ``kept``, in process.

    Attributes
    ----------
    kept : dict of str to KeptFit
        Its parts of fits, by name, in process.
    queries : table or None
        Its columns of the rows to predict, in process.
    """

    secrets: FitSecrets = field(default_factory=FitSecrets)
    matches: KeptMatches = field(default_factory=KeptMatches)
    files: OwnerFiles | None = None
    kept: dict[str, KeptFit] = field(default_factory=dict)
    queries: Any = None
    _matched: dict[str, OwnedTable] = field(default_factory=dict)

    def rows_of(self, table: Table, match: str | None) -> Table:
        """Return the owner's table; of the rows that were found, if a match is named."""
        if match is None:
            return table
        if not isinstance(table, OwnedTable):
            raise BadCells("no match")
        if match not in self._matched:
            self._matched = {match: self.new_rows_of(table, match)}  # the last one is enough
        return self._matched[match]

    def new_rows_of(self, table: OwnedTable, match: str | None) -> OwnedTable:
        """Return a table of new rows; those that were found, if a match is named."""
        if match is None:
            return table
        found = self.matches.get(match)
        if found is None or table.key is None:
            raise BadCells("no match")
        return table.at(found.rows(table.key))

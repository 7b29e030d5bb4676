"""MatchPlaces: the key column of an owner, while rows are matched (``match="private"``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fedps.client.matching.kept_matches import MatchedRows
from fedps.client.matching.matching import Matching
from fedps.client.owner.fit_secrets import FitSecrets
from fedps.client.places.asked import Refuse, TableKey
from fedps.client.places.places import Places
from fedps.client.policy import Policy
from fedps.client.tables import Chunk
from fedps.client.tables.owned_table import OwnedTable
from fedps.protocol.messages import Refusal, Request, Tell
from fedps.statistics import BadCells, Block


class MatchPlaces(Places):
    """What may be asked of an owner's keys in one match.

    Parameters
    ----------
    table : OwnedTable
        The owner's table. Of its columns, only the key is looked at.
    policy, functions, request
        As for ``Places``.
    secrets : FitSecrets
        The owner's secrets.
    """

    across = True

    def __init__(
        self,
        table: OwnedTable,
        policy: Policy,
        functions: Mapping[str, Any] | None,
        request: Request,
        secrets: FitSecrets,
    ) -> None:
        if table.key is None:
            raise BadCells("no key")
        super().__init__(table.of_keys(), policy, functions, request)
        self._owned = table
        self._secrets = secrets

    def hear(self, tells: Sequence[Tell]) -> None:
        """Note what a round tells; Refuse a number of owners that was not agreed to."""
        super().hear(tells)
        beside = self.told.beside
        if beside is not None and not 1 < beside.columns == self.request.clients:
            raise Refuse("consent", "agreed to match rows with as many owners as take part")

    @property
    def matching(self) -> Matching:
        """The owner's side of the match."""
        beside, own = self.told.beside, self._owned
        # before it is told where it stands, an owner only blinds
        at = (0, 0) if beside is None else (beside.first, beside.columns)
        return Matching(own.key, own.salt, self._secrets, str(self.request.fit), *at)

    def _block(
        self, chunk: Chunk, made: dict[TableKey, Any], key: TableKey, given: int | None
    ) -> Block:
        block = super()._block(chunk, made, key, given)
        block.matching = lambda: self.matching  # type: ignore[method-assign]
        return block

    def keep(self) -> MatchedRows | Refusal:
        """Return the rows that all owners have; or why the policy does not allow to go on with these."""
        matching = self.matching
        for proofs in self.told.given.values():
            matching.find(proofs)
        rows = matching.rows()
        refusal = self._gate.check_matched(len(rows))
        return refusal or MatchedRows.of(self._owned.key, rows)

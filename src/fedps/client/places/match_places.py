"""MatchPlaces: the key column of an owner, while rows are matched (``match="private"``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedps.client.hearing import Hearing
from fedps.client.matching.matching import Matching
from fedps.client.owner.kept_matches import MatchedRows
from fedps.client.owner.own_side import OwnSide
from fedps.client.owner.owner_state import OwnerState
from fedps.client.places.asked import Refuse, Wanted
from fedps.client.places.places import Places
from fedps.client.policy import Policy
from fedps.client.tables.owned_table import OwnedTable
from fedps.protocol.messages import Ask, Keep, Refusal, Round
from fedps.statistics import BadCells


class MatchPlaces(Places):
    """What may be asked of an owner's keys in one match.

    Parameters
    ----------
    table : OwnedTable
        The owner's table. Of its columns, only the key is looked at.
    policy, functions, heard
        As for ``Places``.
    own : OwnerState
        The owner's secrets, and where it keeps the rows that it finds.
    """

    across = True
    keeps = "the rows that all clients have"

    def __init__(
        self,
        table: OwnedTable,
        policy: Policy,
        functions: Mapping[str, Any] | None,
        heard: Hearing,
        own: OwnerState,
    ) -> None:
        if table.key is None:
            raise BadCells("no key")
        super().__init__(table.of_keys(), policy, functions, heard)
        self._owned = table
        self._owner = own
        self._asks = 0  # in this round

    def hear(self, heard: Hearing) -> None:
        """Note what a round tells; Refuse a number of owners that was not agreed to."""
        self._asks = 0
        super().hear(heard)
        if len(self.told.given) > 1:
            raise Refuse("consent", "takes one list of points in a round")
        beside = self.told.beside
        if beside is not None and not 1 < beside.columns == self.request.clients:
            raise Refuse("consent", "agreed to match rows with as many owners as take part")

    def read(self, ask: Ask) -> Wanted:
        """Return what an ask asks for; Refuse a second one: an ask of a few bytes can take seconds."""
        self._asks += 1
        if self._asks > 1:
            raise Refuse("consent", "answers one question in a round of a match")
        return super().read(ask)

    @property
    def matching(self) -> Matching:
        """The owner's side of the match."""
        beside, own = self.told.beside, self._owned
        # before it is told where it stands, an owner only blinds
        at = (0, 0) if beside is None else (beside.first, beside.columns)
        return Matching(own.key, own.salt, self._owner.secrets, str(self.request.fit), *at)

    @property
    def _own_side(self) -> OwnSide:
        return OwnSide(matching=lambda: self.matching)

    def begin(self, round_: Round) -> None:
        """Raise BadCells in the first round of a match whose name is taken."""
        keeps = any(
            isinstance(tell, Keep) for tell in round_.tells
        )  # a journal may begin at the end
        if self._owner.matches.get(str(self.request.fit)) is not None and not keeps:
            raise BadCells("match exists")

    def keep(self) -> Refusal | None:
        """Keep the rows that all owners have; or say why the policy does not allow to go on with these."""
        name, matching = str(self.request.fit), self.matching
        if self._owner.matches.get(name) is not None:
            return None  # the message has come before, and its secrets are gone
        for proofs in self.told.given.values():
            matching.find(proofs)
        rows = matching.rows()
        if (refusal := self._gate.check_matched(len(rows))) is not None:
            return refusal
        found = MatchedRows.of(self._owned.key, rows)
        close = self._owner.matches.is_close(found, self.policy.min_rows)
        if (refusal := self._gate.check_between_matches(close=close)) is not None:
            return refusal
        self._owner.matches.keep(name, found)
        self._owner.secrets.forget(name)
        return None

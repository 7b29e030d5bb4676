"""Telling: what clients must know before they can make the tables that they are asked about."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from msgspec import structs

from fedps.learned import Learned, Nothing, PerClient
from fedps.protocol.messages import Beside, Fitted, Given, Keep, Order, PerStand, Request
from fedps.protocol.plan import View
from fedps.protocol.pooled import Path, Pooled
from fedps.protocol.schemas import Columns
from fedps.questions import Declared


class Telling:
    """What a server tells in one fit: everything once, in the round that first needs it.

    ``now`` is what is told in this round, ``everything`` what was told so far.

    Parameters
    ----------
    request : Request
        What the fit is about.
    declared : Declared
        Its places and questions.
    columns : Columns
        What is known of the clients' columns.
    pooled : Pooled
        What is known of all clients' tables together.
    """

    def __init__(
        self, request: Request, declared: Declared, columns: Columns, pooled: Pooled
    ) -> None:
        self._request = request
        self._declared = declared
        self._columns = columns
        self._pooled = pooled
        self._told: set[tuple[str, int]] = set()
        self._journal: list[Any] = []
        self.now: list[Any] = []

    def begin_round(self) -> None:
        """Begin a round, in which nothing is told yet."""
        self.now = []

    @property
    def everything(self) -> list[Any]:
        """What was told so far, and arrays of this round: for clients whose journals begin with it."""
        return [*self._journal, *(tell for tell in self.now if tell not in self._journal)]

    def give(self, arrays: PerClient[Any] | None) -> int | None:
        """Tell each client its own array, for this round only, and return its number."""
        if arrays is None:
            return None
        number = 1 + sum(isinstance(t, PerStand) and isinstance(t.each[0], Given) for t in self.now)
        self.now.append(PerStand(tuple(Given(number, array) for array in arrays.values)))
        return number

    def keep(self, arrays: PerClient[Any] | None) -> None:
        """Tell the clients to keep what was learned, or each its own array."""
        self.give(arrays)
        self.now.append(Keep())

    def tell(self, view: View) -> None:
        """Tell the clients what they need to make a view's table, unless they know it."""
        columns, pooled = self._columns, self._pooled
        if columns.known and columns.order is None and columns.differ(()):
            columns.set_order(columns.names_at(()))
        if columns.order is not None:
            self._once("order", 0, self._order())
        if self._request.across and pooled.widths:
            pairs = zip(accumulate(pooled.widths), pooled.widths, strict=True)
            beside = tuple(Beside(end - own, sum(pooled.widths)) for end, own in pairs)
            self._once("beside", 0, PerStand(beside))
        if view.needs.predict is not None:
            self._once("predict", 0, view.needs.predict)
        for path, learned, trial in view.needs.fitted:
            self._learned(path, learned, trial=trial)
        if view.needs.among:
            place = self._declared.number(view.path)
            each = tuple(structs.replace(own, place=place) for own in view.needs.among)
            self._once("among", place, PerStand(each))

    def _order(self) -> Order | PerStand:
        """Return the order of all columns, for each client where some have more than others."""
        columns = self._columns
        assert columns.order is not None
        if not columns.extras:
            return Order(columns.order)
        return PerStand(tuple(Order(columns.order_of(client) or ()) for client in columns.extras))

    def _learned(self, path: Path, learned: Learned, *, trial: bool = False) -> None:
        """Tell what was learned at a place, and inside of it."""
        place, numbers = self._declared.number(path), learned.numbers.told
        if not isinstance(numbers, Nothing):
            self._once("trial" if trial else "fitted", place, Fitted(place, numbers, trial))
        for i, _ in enumerate(self._declared.places[place].described.inner):
            self._learned((*path, i), learned.steps[i])

    def _once(self, what: str, place: int, message: Any) -> None:
        if (what, place) not in self._told:
            self._told.add((what, place))
            self.now.append(message)
            self._journal.append(message)

"""OwnOutputs: a client's own rows, transformed or predicted, for a caller in the same process. They are not sent."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from fedps.client.outputs import predict, transform
from fedps.client.owner.owner_state import OwnerState
from fedps.client.places.row_folds import in_row_order
from fedps.client.policy import Policy
from fedps.client.rules.gate import PolicyGate
from fedps.client.tables import Table, take
from fedps.learned import Array, Learned
from fedps.statistics import Schema


class OwnOutputs:
    """What a client can do with its own rows once something is fitted."""

    name: str
    table: Table
    policy: Policy
    _own_gate: PolicyGate

    @cached_property
    def own(self) -> OwnerState:
        """What an owner of columns has besides its table, in memory unless something else is given."""
        return OwnerState()

    def rows_of(self, match: str | None) -> Table:
        """Return the client's table; of the rows that were found, if a match is named."""
        return self.table if match is None else self.own.rows_of(self.table, match)

    def transform(self, fitted: Any, kinds: Array | None = None, match: str | None = None) -> Any:
        """Return this client's rows, transformed; those of a match, if one is named. They are not sent.

        ``kinds`` is as what the missing cells of each column count, if not as what they are.
        """
        return transform(fitted, self.rows_of(match), self.name, kinds)

    def predict(self, fitted: Any, kinds: Array | None = None) -> Any:
        """Return a fitted model's predictions for this client's rows. They are not sent."""
        return predict(fitted, self.table, self.name, kinds)

    def fit_transform(
        self, learned: Learned, build: Callable[[Learned], Any], kinds: Array | None = None
    ) -> Any:
        """Return this client's rows as the pooled ``fit_transform`` gives them, cross-fitted if need be.

        ``build`` makes the fitted transformer from what this client was told.
        """
        rows = self.table.schema().rows
        told = in_row_order(learned, self.table) if rows else learned.settled
        return transform(build(told), self.table, self.name, kinds)

    def own_rows(self, match: str | None = None) -> Any:
        """Return this client's columns, without those that its policy keeps back."""
        (chunk,) = self.rows_of(match).chunks()
        return take(chunk.X, self._own_gate.offered(self.table.schema()))

    def offered(self, *, read: bool = True) -> tuple[Schema, ...]:
        """Return the schemas of this client's table and target, without what its policy keeps back.

        Nothing if no files may be ``read`` for that, and it is not known yet.
        """
        if not read and not self.table.is_described:
            return ()
        target = self.table.target_schema()
        shown = target is not None and self.policy.offers(self.table.target_name or "target")
        table = self._own_gate.offered_schema(self.table.schema())
        return (table, target) if target is not None and shown else (table,)

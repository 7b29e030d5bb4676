"""OwnOutputs: a client's own rows, transformed or predicted, for a caller in the same process. They are not sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fedps.client.outputs import predict, transform
from fedps.client.owner.owner_state import OwnerState
from fedps.client.places.row_folds import in_row_order
from fedps.client.rules.gate import PolicyGate
from fedps.client.tables import Table, take
from fedps.learned import Array, Learned


class OwnOutputs:
    """What a client can do with its own rows once something is fitted."""

    name: str
    table: Table
    own: OwnerState
    _own_gate: PolicyGate

    def transform(self, fitted: Any, kinds: Array | None = None, match: str | None = None) -> Any:
        """Return this client's rows, transformed; those of a match, if one is named. They are not sent.

        ``kinds`` is as what the missing cells of each column count, if not as what they are.
        """
        return transform(fitted, self.own.rows_of(self.table, match), self.name, kinds)

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
        (chunk,) = self.own.rows_of(self.table, match).chunks()
        return take(chunk.X, self._own_gate.offered(self.table.schema()))

"""own_request: what a pipeline across owners means for one owner, who decides about its own columns."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from fedps.learned import BY_COLUMNS, PIPELINE, Described, Parameters
from fedps.protocol.messages import Beside, Request
from fedps.statistics import Schema


def own_request(request: Request, beside: Beside | None, schema: Schema) -> Request:
    """Return a request with this client's own columns, in place of positions among those of all clients.

    An approval is of columns: if a server puts them elsewhere among all, positions mean others.

    Parameters
    ----------
    request : Request
        What is asked for, with ``split="columns"``.
    beside : Beside or None
        Where this client's columns stand among all.
    schema : Schema
        The client's table, without columns that are kept back.
    """
    if request.pipeline is None or beside is None:
        return request
    own: list[str | int] = [*schema.names] if schema.names else [*range(schema.width)]
    here = _OwnColumns(beside.first, own)
    return structs.replace(request, pipeline=here.of(request.pipeline, range(beside.columns)))


class _OwnColumns:
    def __init__(self, first: int, names: Sequence[str | int]) -> None:
        self._first = first
        self._names = names

    def of(self, described: Described, columns: Sequence[int]) -> Described:
        """Return an estimator that gets some columns, counted over all clients, as it is for this client."""
        if described.estimator == BY_COLUMNS:
            return self._by_columns(described, columns)
        inner = list(described.inner)
        # only the first step of a pipeline gets columns of the table
        for i, step in enumerate(inner[:1] if described.estimator == PIPELINE else inner):
            inner[i] = self.of(step, columns)
        return structs.replace(described, steps=tuple(inner)) if inner else described

    def _by_columns(self, described: Described, columns: Sequence[int]) -> Described:
        parts, steps = [], list(described.steps)
        taken: set[int] = set()
        estimators = iter(range(len(steps)))
        for name, kept, chosen in described.params["parts"]:
            taken |= set(chosen)
            there = [columns[i] for i in chosen if 0 <= i < len(columns)]
            parts.append((name, kept, self._own(there)))
            if kept is None:
                i = next(estimators)
                steps[i] = self.of(steps[i], there)
        rest = [column for i, column in enumerate(columns) if i not in taken]
        for i in estimators:  # the remainder
            steps[i] = self.of(steps[i], rest)
        params = Parameters({**described.params, "parts": parts})
        return structs.replace(described, params=params, steps=tuple(steps))

    def _own(self, columns: Sequence[int]) -> list[str | int]:
        here = (column - self._first for column in columns)
        return [self._names[i] for i in here if 0 <= i < len(self._names)]

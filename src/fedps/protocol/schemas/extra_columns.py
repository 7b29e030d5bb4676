"""Columns that only some clients have: harmless if nothing in the pipeline takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fedps.errors import Disagreement, named_in_words
from fedps.learned import Described
from fedps.protocol.schemas.pool_schemas import positions_in, shared_names
from fedps.protocol.schemas.taken_columns import Choose, Taker, takers
from fedps.statistics import Schema


def extra_columns(tables: Mapping[str, Schema]) -> dict[str, tuple[str, ...]]:
    """Return for each client the columns that not all clients have; nothing if all have the same."""
    shared = set(shared_names(tables) or ())
    every = {schema.names or () for schema in tables.values()}
    extras = {names: tuple(name for name in names if name not in shared) for names in every}
    if not any(extras.values()):
        return {}
    return {client: extras[schema.names or ()] for client, schema in tables.items()}


def check_extras(
    pipeline: Described, tables: Mapping[str, Schema], choose: Choose, weight: str | None = None
) -> None:
    """Raise Disagreement if an estimator would take a column that not all clients have.

    ``weight`` is the column of row weights, which no estimator takes: a client that lacks it says so.
    """
    for client, extras in extra_columns(tables).items():
        features = [name for name in extras if name != weight]
        if features:
            _Taking(client, tables, choose).check(pipeline, features)


class _Taking:
    """What the estimators take of one client's columns, with those that others lack and without them."""

    def __init__(self, client: str, tables: Mapping[str, Schema], choose: Choose) -> None:
        self._client = client
        self._tables = tables
        self._choose = choose
        self._own = tables[client]

    def check(self, pipeline: Described, more: Sequence[str]) -> None:
        """Raise Disagreement if what is taken differs where some more columns are there."""
        shared = shared_names(self._tables) or ()
        whole = self._takers(pipeline, (*shared, *more))
        without = self._takers(pipeline, shared)
        for place, taker in without.items():
            if taker.lacking is not None and getattr(whole.get(place), "lacking", None) is None:
                raise self._lacking(taker.lacking, taker.name)
        names = self._own.names or ()
        for place, taker in whole.items():
            some = without[place].columns
            if taker.columns != some:
                raise self._taken([names[i] for i in taker.columns if i not in some], taker.name)

    def _takers(self, pipeline: Described, names: Sequence[str]) -> dict[tuple[int, ...], Taker]:
        found = takers(pipeline, self._own, positions_in(self._own, names), self._choose)
        return {taker.place: taker for taker in found}

    def _taken(self, extras: list[str], taker: str) -> Disagreement:
        """Return the error for columns that would be taken here, and that another client lacks."""
        other = next(c for c, t in self._tables.items() if set(extras) - set(t.names or ()))
        there = self._tables[other].names or ()
        lacking = [name for name in extras if name not in there]
        alike = _spelt_alike(lacking[0], there)
        if alike is not None:
            return self._misspelt(other, alike, self._client, lacking[0])
        return Disagreement(
            f"client {self._client!r} offers column {named_in_words(lacking)} and client {other!r} does not (it "
            f"lacks it, or its policy keeps it back), and {taker!r} would take it. Drop it at "
            f"{self._client!r}: table.drop(columns={lacking}). Or name the columns in a "
            f"ColumnTransformer, or add it at {other!r}, all missing if need be."
        )

    def _lacking(self, name: str, taker: str) -> Disagreement:
        """Return the error for a column that is named, and that another client lacks."""
        other = next(c for c, t in self._tables.items() if name not in (t.names or ()))
        alike = _spelt_alike(name, self._tables[other].names or ())
        if alike is not None:
            return self._misspelt(self._client, name, other, alike)
        return Disagreement(
            f"client {self._client!r} offers column {name!r} and client {other!r} does not (it lacks it, or "
            f"its policy keeps it back). {taker!r} takes it: add it there, all missing if need be, or leave it "
            "out."
        )

    @staticmethod
    def _misspelt(client: str, name: str, other: str, alike: str) -> Disagreement:
        return Disagreement(
            f"client {client!r} has a column {name!r} and client {other!r} has {alike!r}. If they are the "
            f"same, rename it at {other!r}: table.rename(columns={{{alike!r}: {name!r}}})."
        )


def _spelt_alike(name: str, names: Sequence[str]) -> str | None:
    """Return a name that differs only in upper and lower case, spaces, - or _.

    >>> _spelt_alike("Blood Pressure ", ["age", "blood_pressure"])
    'blood_pressure'
    """
    return next((other for other in names if _letters(other) == _letters(name)), None)


def _letters(name: str) -> str:
    return "".join(name.split()).replace("_", "").replace("-", "").casefold()

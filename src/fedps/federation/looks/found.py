"""What plans found becomes what a user gets: a Description, a Crosstab or a Correlation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fedps.federation.looks.looked import Looked
from fedps.federation.looks.notes import column_notes
from fedps.looks import Correlation, Crosstab, Description
from fedps.looks.column_facts import Category, ColumnFacts
from fedps.looks.groups import Group, group_size
from fedps.protocol.schemas.columns_of_kind import COLUMN_KINDS
from fedps.protocol.schemas.dtype_families import plain_name

_MOST_EXACT = 2.0**53


def description(found: Looked) -> Description:
    """Return what ``federation.describe`` gives."""
    run, look = found.run, found.look
    groups = [
        _group(value, columns)
        for value, columns in ((v, _columns(found, f" {i}")) for i, v in enumerate(look.groups))
    ]
    return Description(
        clients={client: schema.rows for client, schema in found.schemas.items()},
        columns=_columns(found),
        percentiles=look.percentiles,
        by=look.by,
        split=found.split,
        groups=tuple(groups),
        correlation=noted(found) if "correlation" in found.parts else None,
        left=[_left(ask) for ask in run.asks],
        notes=tuple(dict.fromkeys(found.all_notes)),
    )


def _group(value: Any, columns: tuple[ColumnFacts, ...]) -> Group:
    rows, mark = group_size(columns)
    return Group(value, rows, columns, mark=mark)


def _columns(found: Looked, group: str = "") -> tuple[ColumnFacts, ...]:
    """Return what is known of the columns, in their order, of all rows or of a group."""
    look, dtypes = found.look, _dtypes(found)
    parts = {kind: kind + group for kind in COLUMN_KINDS}
    facts = {facts.name: facts for part in parts.values() for facts in found.parts[part]}
    return tuple(
        replace(
            _as_stored(facts[name], dtypes[name]),
            dtype=dtypes[name],
            zone=_zone(dtypes[name]),
            notes=column_notes(found.notes, parts[facts[name].kind], name),
        )
        for name in look.columns or dtypes
        if name in facts and not (group and name == look.by)
    )


def noted(looked: Looked) -> Correlation:
    """Return a correlation with the sentences about clients that kept something back."""
    found: Correlation = looked.parts["correlation"]
    some = [text for texts in looked.notes["correlation"].values() for text in texts]
    return replace(found, notes=(*found.notes, *dict.fromkeys(some)))


def crosstab(looked: Looked) -> Crosstab:
    """Return what ``federation.crosstab`` gives."""
    found: Crosstab = looked.parts["crosstab"]
    dtypes = _dtypes(looked)
    rows, columns = (
        tuple(map(bool, values)) if dtypes[name] == "bool" else values
        for name, values in ((found.row, found.rows), (found.column, found.columns))
    )
    some = [text for texts in looked.notes["crosstab"].values() for text in texts]
    notes = dict.fromkeys([*found.notes, *some])
    return replace(found, rows=rows, columns=columns, notes=tuple(notes))


def _dtypes(found: Looked) -> dict[Any, str]:
    """Return the dtype of each column at the first client that has it."""
    dtypes: dict[Any, str] = {}
    for schema in found.schemas.values():
        for i, name in enumerate(schema.names or range(schema.width)):
            dtypes.setdefault(name, plain_name(schema.dtype(i)))
    return dtypes


def _as_stored(facts: ColumnFacts, dtype: str) -> ColumnFacts:
    """Return a column with what its dtype tells and numbers do not."""
    if dtype == "bool":
        return _truths(facts)
    ends = [abs(end) for end in (facts.minimum, facts.maximum) if end is not None]
    if facts.unique is None or max(ends, default=0.0) < _MOST_EXACT or "int" not in dtype.lower():
        return facts
    # different whole numbers may be the same double
    return replace(facts, unique=None, marks={"unique": f">= {facts.unique:,}"} | facts.marks)


def _truths(facts: ColumnFacts) -> ColumnFacts:
    """Return a column of truth values as such: where some are missing, clients read them as 0 and 1."""
    some = tuple(Category(bool(one.value), one.count) for one in facts.categories)
    return replace(facts, categories=some, top=some[0].value if some else None)


def _zone(dtype: str) -> str | None:
    """Return the time zone of a dtype.

    >>> _zone("datetime64[us, Europe/Oslo]"), _zone("datetime64[us]")
    ('Europe/Oslo', None)
    """
    _, comma, zone = dtype.removesuffix("]").partition(", ")
    return zone if comma else None


def _left(ask: Any) -> dict[str, Any]:
    fields: Sequence[str] = ("round", "statistic", "columns", "level", "shows")
    return {name: getattr(ask, name) for name in fields}

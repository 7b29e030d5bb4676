"""One value for missing cells where clients differ in it: as a table of the first client's kind has it.

scikit-learn tells None and NaN apart, and which of them a column holds depends on what made the table:
polars and Arrow have null, which scikit-learn reads as None, pandas mostly has NaN. Left as they are, the
two would be two categories that tell the site.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fedps.protocol.answers import Problem, raise_problems, who
from fedps.protocol.heard import Asked
from fedps.protocol.messages import Failure
from fedps.protocol.pooled import Unified
from fedps.protocol.schemas import Columns
from fedps.protocol.schemas.date_kinds import date_kind
from fedps.statistics import Missing, Schema
from fedps.statistics.categories.categories import is_text
from fedps.statistics.missing_kinds import AS_IT_IS, NAN, NONE, CountsGaps

_NUMBERS = ("int", "uint", "float")


class Side(NamedTuple):
    """A column at one client that has rows: what its container is, and what is missing there.

    ``dtype`` is None where a transformer made the column, or where all of its cells are missing.
    """

    client: str
    container: str
    dtype: str | None
    none: bool
    nan: bool


def pooled_kind(sides: Sequence[Side]) -> int:
    """Return what the missing cells of a column count as at all clients.

    As they are, if a table of the first client's kind that has all rows would tell them apart, too: where
    all clients that have any hold the same. Otherwise None in a polars frame, and NaN in all else.

    >>> pandas, polars = Side("a", "pandas", "object", False, True), Side("b", "polars", "String", True, False)
    >>> pooled_kind([pandas, polars]) == NAN, pooled_kind([polars, pandas]) == NONE
    (True, True)
    >>> pooled_kind([pandas, pandas]) == AS_IT_IS
    True
    """
    in_polars = sides[0].container == "polars"
    missing = [side for side in sides if side.none or side.nan]
    # a column of polars' nulls alone is what the others make of it
    typed = [side for side in missing if side.dtype is not None or side.container != "polars"]
    held = {_held(side, sides[0].container) for side in typed or missing}
    dtype = next((side.dtype for side in sides if side.dtype is not None), None)
    if in_polars and dtype is not None:
        kind = NONE if _is_object(dtype) else NAN
    elif len(held) == 1:
        (kinds,) = held
        kind = {(False, True): NAN, (True, False): NONE}.get(kinds, AS_IT_IS)
    else:
        kind = NONE if in_polars else NAN
    if kind == AS_IT_IS:
        return kind
    return kind if any(_differs(side, kind) for side in sides) else AS_IT_IS


def _differs(side: Side, kind: int) -> bool:
    """Whether some missing cells of a column are not of the kind that they count as."""
    if side.nan and (kind == NONE or _is_na(side)):
        return True
    return side.none and kind == NAN


def _is_na(side: Side) -> bool:
    """Whether missing cells are pandas' NA, which scikit-learn does not take: of its own kinds of text."""
    text = side.dtype is not None and side.dtype.startswith(("string", "large_string"))
    return side.container == "pandas" and text


def _held(side: Side, container: str) -> tuple[bool, bool]:
    """Return whether a column holds None, and NaN, in another container: pandas' missing value is NaN."""
    if side.container == "polars" and container != "polars":
        return False, True
    return side.none, side.nan


def _is_object(dtype: str) -> bool:
    """Whether missing cells of a polars column are None for scikit-learn: not of numbers and times."""
    return date_kind(dtype) is None and not dtype.lower().startswith(_NUMBERS)


def one_missing(
    asked: Asked, schemas: Mapping[str, tuple[Schema, ...]], columns: Columns
) -> dict[str, Any]:
    """Return the answers to an ask with one missing value in each column; ``asked`` notes which."""
    answers = asked.answers
    if not all(isinstance(answer, CountsGaps) for answer in answers.values()):
        return answers
    gaps = {client: answer.gaps() > 0 for client, answer in answers.items()}
    if len({each.shape for each in gaps.values()}) > 1:
        return answers  # tables that differ: merging says so
    held = np.array(list(gaps.values()))
    names = asked.names(columns, held.shape[2])
    kinds = np.zeros(held.shape[2], dtype=np.int8)
    for position in np.flatnonzero(held.any(axis=(0, 1))).tolist():
        sides = _sides(asked, position, gaps, schemas, columns)
        kinds[position] = kind = pooled_kind(sides)
        if kind != AS_IT_IS:
            name = f"number {position}" if names is None else str(names[position])
            asked.unified.append(_noted(asked.view, position, name, kind, sides))
    if kinds.any():
        answers = {client: answer.with_gaps(kinds) for client, answer in answers.items()}
    _stop_on_nan(asked, answers, names)
    return answers


def _sides(
    asked: Asked,
    position: int,
    gaps: Mapping[str, Any],
    schemas: Mapping[str, tuple[Schema, ...]],
    columns: Columns,
) -> list[Side]:
    own = columns.of(asked.view)
    # of what a transformer made, only the values tell what it is
    values = [getattr(answer, "values", ()) for answer in asked.answers.values()]
    made = "object" if any(is_text(each[position]) for each in values if each) else None
    found = []
    for client, (none, nan) in (
        (client, each[:, position].tolist()) for client, each in gaps.items()
    ):
        schema = schemas[client][-1 if asked.view.is_target else 0]
        if not schema.rows:
            continue
        dtype = made
        if own is not None:
            key = next(iter(own.values()))[position]
            at = schema.names.index(str(key)) if schema.names else int(key)
            dtype = None if at in schema.empty else schema.dtype(at)
        found.append(Side(client, schema.container, dtype, none, nan))
    return found


def _noted(view: Any, position: int, name: str, kind: int, sides: Sequence[Side]) -> Unified:
    """Return what is noted of a column: what counts as what, and where."""
    column = position if view.columns is None else view.columns[position]
    at: dict[str, list[str]] = {"None": [], "nan": [], "<NA>": []}
    for side in sides:
        if side.none:
            at["None"].append(side.client)
        if side.nan:
            at["<NA>" if _is_na(side) else "nan"].append(side.client)
    value = "None" if kind == NONE else "nan"
    parts = [f"{what} at {who(some)}" for what, some in at.items() if some]
    text = f"column {name!r}: {' and '.join(parts)} "
    text += "count as one missing value, " if len(parts) > 1 else "counts as "
    return Unified(view.path, view.of, column, kind, text + value)


def _stop_on_nan(asked: Asked, answers: Mapping[str, Any], names: Sequence[Any] | None) -> None:
    """Raise ClientError for NaN where None is the marker: scikit-learn takes NaN only if it is that."""
    if not isinstance(asked.statistic, Missing) or asked.statistic.marker is not None:
        return
    problems = []
    for client, answer in answers.items():
        for position in np.flatnonzero(answer.gaps()[1])[:1].tolist():
            name = f"number {position}" if names is None else str(names[position])
            problems.append(Problem(client, "Missing", Failure("missing", name)))
    raise_problems(problems, names or ())

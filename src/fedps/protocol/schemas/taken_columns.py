"""taken_columns: which columns of a client's table the estimators of a pipeline take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from fedps.learned import BY_COLUMNS, PIPELINE, UNION, Described, branches_of
from fedps.statistics import BadCells, Schema

# which of a client's columns a branch of a ColumnTransformer takes, by their positions: of a schema,
# the positions that the ColumnTransformer gets, and the branch's number; BadCells if it cannot
Choose = Callable[[Schema, Sequence[int], Described, int], Sequence[int]]


def taken_columns(one: Described, schema: Schema, whole: Sequence[int], choose: Choose) -> set[int]:
    """Return the positions of the columns that an estimator takes of those that it gets."""
    if one.estimator == PIPELINE and one.steps:
        return taken_columns(one.steps[0], schema, whole, choose)  # later steps see what it makes
    if one.estimator == UNION:
        through = any(kept == "passthrough" for _, kept in one.params["parts"])
        parts = (taken_columns(step, schema, whole, choose) for step in one.steps)
        return set(whole) if through else set().union(*parts)
    if one.estimator != BY_COLUMNS:
        return set(whole)
    found: set[int] = set()
    steps = iter(one.steps)
    for branch, (_, kept, _) in enumerate(branches_of(one)):
        step = next(steps) if kept is None else None
        with suppress(BadCells):  # the client says it, too
            own = choose(schema, whole, one, branch) if kept != "drop" else ()
            found |= set(own) if step is None else taken_columns(step, schema, own, choose)
    return found

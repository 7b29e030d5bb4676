"""takers: which columns of a client's table each estimator of a pipeline takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from fedps.learned import BY_COLUMNS, PIPELINE, UNION, Described, branches_of
from fedps.statistics import BadCells, Schema

# which of a client's columns a branch of a ColumnTransformer takes, by their positions: of a schema,
# the positions that the ColumnTransformer gets, and the branch's number; BadCells if it cannot
Choose = Callable[[Schema, Sequence[int], Described, int], Sequence[int]]


class Taker(NamedTuple):
    """What takes columns: where it stands, its name, and their positions.

    ``lacking`` is the column that a branch names and that is not there; nothing is taken then.
    """

    place: tuple[int, ...]
    name: str
    columns: tuple[int, ...] = ()
    lacking: str | None = None


def takers(
    one: Described,
    schema: Schema,
    whole: Sequence[int],
    choose: Choose,
    place: tuple[int, ...] = (),
) -> Iterator[Taker]:
    """Yield what takes columns of those that an estimator gets, 'passthrough' included."""
    if one.estimator == PIPELINE and one.steps:  # later steps see what the first one makes
        yield from takers(one.steps[0], schema, whole, choose, (*place, 0))
    elif one.estimator == UNION:
        for i, step in enumerate(one.steps):
            yield from takers(step, schema, whole, choose, (*place, i))
        if any(kept == "passthrough" for _, kept in one.params["parts"]):
            yield Taker((*place, len(one.steps)), "passthrough", tuple(whole))
    elif one.estimator == BY_COLUMNS:
        steps = iter(one.steps)
        for branch, (name, kept, _) in enumerate(branches_of(one)):
            inner, here = next(steps) if kept is None else None, (*place, branch)
            if kept == "drop":
                continue
            try:
                own = choose(schema, whole, one, branch)
            except BadCells as error:
                yield Taker(here, name, lacking=str(error.what))
                continue
            if inner is None:
                yield Taker(here, name, tuple(own))
            else:
                yield from takers(inner, schema, own, choose, here)
    else:
        yield Taker(place, one.estimator, tuple(whole))


def taken_columns(
    pipeline: Described, schema: Schema, whole: Sequence[int], choose: Choose
) -> set[int]:
    """Return the positions of all columns that something takes."""
    return {i for taker in takers(pipeline, schema, whole, choose) for i in taker.columns}

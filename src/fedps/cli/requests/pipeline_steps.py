"""The steps of a pipeline, numbered, with the columns of this table that each gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fedps.client.requests.in_words import ReadColumns, RequestOnTable
from fedps.client.requests.step_words import group_in_words, step_in_words
from fedps.learned import BY_COLUMNS, COMPOUNDS, PIPELINE, Described, Place, branches_of
from fedps.learned.looks import is_look
from fedps.report.section import Shortened, whole_cell


class PipelineStep(NamedTuple):
    """A step: its number, the client's own columns that it gets, what it does in words, and its places.

    ``groups`` are the categories of a column whose rows it does that with, each apart.
    """

    label: str
    columns: ReadColumns
    what: str
    places: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """What it does in words, with the groups."""
        return f"{self.what}: {', '.join(self.groups)}" if self.groups else self.what


def pipeline_steps(on: RequestOnTable) -> list[PipelineStep]:
    """Return the steps of a request, the estimators inside of others included."""
    steps = list(_steps(on, on.places[0], ""))
    request = on.request
    if request.weight is not None:
        weight = ReadColumns((request.weight,))
        steps.append(PipelineStep("-", weight, "weigh the rows by it"))
    for sketch in (request.quantiles, request.frequent):
        if sketch is not None:
            what = f"find values by a sketch ({type(sketch).__name__}), which is approximate"
            steps.append(PipelineStep("-", on.columns_at(on.places[0]), what))
    return steps


def _steps(on: RequestOnTable, place: Place, label: str) -> Iterator[PipelineStep]:
    """Yield the steps at a place; ``label`` is its number, empty for the outermost."""
    estimator = place.described.estimator
    columns = on.columns_at(place)
    if estimator not in COMPOUNDS:
        yield PipelineStep(label or "1", columns, step_in_words(place.described), (place.number,))
        return
    prefix = f"{label}." if label else ""
    if label and estimator != PIPELINE:
        yield PipelineStep(label, columns, step_in_words(place.described), (place.number,))
    if estimator == BY_COLUMNS:
        yield from _branches(on, place, prefix)
        return
    inner = [p for p in on.places if p.parent == place.number]
    for i, one in enumerate(inner, start=1):
        yield from _steps(on, one, f"{prefix}{i}")


def _branches(on: RequestOnTable, place: Place, prefix: str) -> Iterator[PipelineStep]:
    """Yield the branches of a ColumnTransformer; those that do the same share a step."""
    inner = iter([p for p in on.places if p.parent == place.number])
    alike: dict[str, PipelineStep] = {}
    number, looks = 0, is_look(place.described)
    for i, (_, kept, _) in enumerate(branches_of(place.described)):
        columns = on.branch_columns(place, i)
        child = next(inner) if kept is None else None
        if looks and (child is None or not columns.names):
            continue  # nothing is made of the columns that a look leaves out
        if child is None and not columns.names:
            continue
        if child is not None and child.described.estimator in COMPOUNDS:
            number += 1
            yield from _steps(on, child, f"{prefix}{number}")
            continue
        what = "leave out" if kept == "drop" else "keep as they are"
        group: tuple[str, ...] = ()
        if child is not None:
            what, group = _looked_at(child.described)
        key = whole_cell(what)  # what differs where it is shortened is not alike
        if key not in alike:
            number += 1
            alike[key] = PipelineStep(f"{prefix}{number}", ReadColumns((), columns.made), what)
        names = dict.fromkeys((*alike[key].columns.names, *columns.names))
        joined = ReadColumns(tuple(names), columns.made)
        places = (*alike[key].places, *(() if child is None else (child.number,)))
        groups = (*alike[key].groups, *group)
        alike[key] = alike[key]._replace(columns=joined, places=places, groups=groups)
    yield from alike.values()


def _looked_at(described: Described) -> tuple[str, tuple[str, ...]]:
    """Return what a branch does in words, and the group of rows that it does it with, if any."""
    what, group = step_in_words(described), group_in_words(described)
    if group is None:
        return what, ()
    column, value = group
    apart = f", apart in the rows of each of these categories of {column}"
    return Shortened(what + apart, whole_cell(what) + apart), (value,)

"""Which columns of a client's table a selection means: by name, position, slice or selector."""

from __future__ import annotations

from typing import Any

from sklearn.compose import make_column_selector

from fedps.client.tables import names_of, positions_of, shape
from fedps.protocol.messages import At, Except, Named, Selection, Span, Where
from fedps.statistics import BadCells


def selected_positions(example: Any, selection: Selection) -> list[int]:
    """Return the positions of the selected columns; ``example`` is a row of the table."""
    width = shape(example)[1]
    if isinstance(selection, Named):
        known = names_of(example) or ()
        for name in selection.names:
            if name not in known:
                raise BadCells("no column", what=name)
        return positions_of(example, selection.names)
    if isinstance(selection, At):
        for i in selection.positions:
            if not -width <= i < width:
                raise BadCells("no column", what=f"number {i}")
        return [i % width for i in selection.positions]
    if isinstance(selection, Span):
        return _chosen_span(example, selection)
    if isinstance(selection, Except):
        taken = {i for part in selection.chosen for i in selected_positions(example, part)}
        return [i for i in range(width) if i not in taken]
    return _chosen_where(example, selection)


def _chosen_span(example: Any, selection: Span) -> list[int]:
    names = list(names_of(example) or ())

    def place(end: int | str | None, extra: int) -> int | None:
        if not isinstance(end, str):
            return end
        if end not in names:
            raise BadCells("no column", what=end)
        return names.index(end) + extra

    # a slice of names includes its end, as in pandas and ColumnTransformer
    bounds = slice(place(selection.start, 0), place(selection.stop, 1), selection.step)
    return list(range(shape(example)[1])[bounds])


def _chosen_where(example: Any, selection: Where) -> list[int]:
    if not hasattr(example, "iloc"):
        raise BadCells("selection", None)
    selector = make_column_selector(
        selection.pattern,
        dtype_include=list(selection.include) or None,
        dtype_exclude=list(selection.exclude) or None,
    )
    return positions_of(example, selector(example))

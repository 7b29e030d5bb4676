"""Cells that a spreadsheet would run: texts in a CSV file that begin as a formula does."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from fedps.client.tables.formula_texts import FORMULA_MARK, STARTS

_PATTERN = r"^[=+\-@\t\r]"


def without_formulas(table: Any) -> tuple[Any, int]:
    """Return an Arrow table whose texts and column names are no formulas, and how many cells were.

    These get an apostrophe in front. Numbers stay as they are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> safe, escaped = without_formulas(pa.table({"note": ["=1+1", "fine"], "age": [-1, 2]}))
    >>> safe.to_pydict(), escaped
    ({'note': ["'=1+1", 'fine'], 'age': [-1, 2]}, 1)
    """
    columns, escaped = [], 0
    for column in table.columns:
        safe, number = _escaped(column)
        columns.append(safe)
        escaped += number
    return pa.table(columns, names=_safe_names(table.column_names)), escaped


def _safe_names(names: list[str]) -> list[str]:
    """Return column names that are no formulas, each still once."""
    safe: list[str] = []
    for name in names:
        own = FORMULA_MARK + name if name.startswith(STARTS) else name
        while own != name and (own in names or own in safe):
            own = FORMULA_MARK + own
        safe.append(own)
    return safe


def _escaped(column: Any) -> tuple[Any, int]:
    kind = column.type
    if pa.types.is_dictionary(kind):  # categories
        kind = kind.value_type
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        kind = pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary()
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not is_text and not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        return column, 0
    texts = column.cast(kind)
    runs = pc.match_substring_regex(texts, _PATTERN)
    number = int(pc.sum(runs).as_py() or 0)
    if not number:
        return texts, 0
    mark, nothing = (
        pa.scalar(text if is_text else text.encode(), kind) for text in (FORMULA_MARK, "")
    )
    marked = pc.binary_join_element_wise(mark, texts, nothing)
    return pc.if_else(pc.fill_null(runs, False), marked, texts), number

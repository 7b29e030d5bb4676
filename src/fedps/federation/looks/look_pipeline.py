"""A look as a pipeline that clients consent to: a ColumnTransformer whose parts are looks at some columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn.compose import ColumnTransformer

from fedps.errors import UsageError
from fedps.federation.looks.look import Look
from fedps.learned.looks import (
    CorrelateNumbers,
    CrossCategories,
    DescribeCategories,
    DescribeDates,
    DescribeNumbers,
)
from fedps.looks.column_facts import ColumnFacts
from fedps.protocol.schemas.columns_of_kind import ColumnsOfKind

MOST_ROW_GROUPS = 50

LookBranch = tuple[str, Any, Any]  # its name, the look, and its columns


def look_pipeline(look: Look) -> Any:
    """Return a look as a pipeline."""
    if look.name == "crosstab":
        return ColumnTransformer([("crosstab", CrossCategories(), list(look.columns or ()))])
    parts: list[LookBranch] = []
    if look.name == "describe":
        parts += _described(look, "", None)
        for number, value in enumerate(look.groups):
            parts += _described(look, f" {number}", (look.by, value))
    if look.name == "corr" or look.correlation:
        parts.append(("correlation", CorrelateNumbers(), ColumnsOfKind("numbers", look.columns)))
    return ColumnTransformer(parts)


def _described(look: Look, group: str, where: tuple[Any, Any] | None) -> list[LookBranch]:
    """Return the parts that describe columns of each kind, of all rows or of a group."""
    looks: dict[str, Any] = {
        "numbers": DescribeNumbers(look.percentiles, where),
        "dates": DescribeDates(look.percentiles, where),
        "categories": DescribeCategories(where=where),
    }
    return [(kind + group, one, ColumnsOfKind(kind, look.columns)) for kind, one in looks.items()]


def part_names(look: Look) -> list[str]:
    """Return the names of the pipeline's parts."""
    return [name for name, _, _ in look_pipeline(look).transformers]


def groups_pipeline(look: Look) -> Any:
    """Return the look at the groups: which categories the column of ``by`` has."""
    return ColumnTransformer([("groups", DescribeCategories(top=MOST_ROW_GROUPS), [look.by])])


def with_groups(look: Look, found: ColumnFacts) -> Look:
    """Return the look with the categories that were found as its groups; UsageError if they are too many."""
    if found.unique is not None and found.unique > MOST_ROW_GROUPS:
        raise UsageError(
            f"by={look.by!r} has {found.unique:,} categories, and a description has at most {MOST_ROW_GROUPS} "
            "groups. Group them there, or choose another column."
        )
    return replace(look, groups=tuple(sorted(one.value for one in found.categories)))


def among(look: Look, names: Sequence[Any]) -> Look:
    """Return the look at those of its columns that are among some."""
    if look.columns is None:
        return look
    return replace(look, columns=tuple(name for name in look.columns if name in names))

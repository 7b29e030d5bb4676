"""What the owner of a table may not have thought of, for ``fedps policy check``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from fedps.cli.policy.rare_values import ColumnValues
from fedps.client import Policy
from fedps.report.rendering import count


def advice(policy: Policy, found: Sequence[ColumnValues], rows: int) -> Iterator[str]:
    """Yield a sentence for each risk that the owner of a table should know of."""
    if policy.level == "ROWS":
        yield "level = 'ROWS' lets whole rows leave."
    if policy.min_rows < 2:
        yield f"min_rows = {policy.min_rows}: a number may stand for a single row."
    if policy.level == "AGGREGATE":
        return
    for column in found:
        if not policy.offers(column.name) or column.counts is None or not column.is_text:
            continue
        if 2 * len(column.counts) > rows:
            yield (
                f"column {column.name!r} has {len(column.counts):,} different texts in {rows:,} rows. "
                "An encoder would send every one: deny the column if they identify persons."
            )
        elif rare := column.rarer_than(policy.min_rows):
            yield (
                f"column {column.name!r}: {count(rare, 'text')} in fewer than min_rows = "
                f"{policy.min_rows} rows. An encoder would send them: no rule keeps rare categories back."
            )


def missing_functions(policy: Policy) -> Iterator[str]:
    """Yield a sentence for each function of a policy that does not exist."""
    for name in policy.functions:
        module, _, function = name.rpartition(".")
        try:
            exists = hasattr(import_module(module), function)
        except ImportError:
            exists = False
        if not exists:
            yield f"functions names {name!r}, which cannot be imported here."

"""What the owner of a table may not have thought of, for ``fedps policy check``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from fedps.cli.policy.rare_values import ColumnValues
from fedps.client import Policy
from fedps.client.rules.units import Units
from fedps.report.rendering import count

_ROWS_OF_A_PERSON = (
    50  # on average; a column with more rows for each value hardly says whose a row is
)


def advice(
    policy: Policy, found: Sequence[ColumnValues], rows: int, units: Units | None = None
) -> Iterator[str]:
    """Yield a sentence for each risk that the owner of a table should know of."""
    yield from loose_rules(policy)
    if units is not None:
        yield from _odd_unit(str(policy.unit), len(units.rows), rows)
    if policy.level == "AGGREGATE":  # no text leaves
        return
    for column in found:
        if policy.offers(column.name) and column.is_text:
            yield from _rare_texts(policy, column, rows)


def loose_rules(policy: Policy) -> Iterator[str]:
    """Yield a sentence for each rule that lets out more than most owners would want.

    >>> list(loose_rules(Policy()))
    []
    """
    if policy.level == "ROWS":
        yield "level = 'ROWS' lets whole rows leave."
    if policy.min_rows < 2:
        yield f"min_rows = {policy.min_rows}: a number may stand for a single row."
    if policy.min_count < 2:
        yield (
            f"min_count = {policy.min_count}: a category of a single row is named, and a sum may be over a "
            "single cell that differs from all others."
        )
    if policy.max_share >= 1:
        yield f"max_share = {policy.max_share:g}: every value of a column may be shown."
    if policy.budget is None or policy.budget >= 1:
        what = "there is no budget" if policy.budget is None else f"budget = {policy.budget:g}"
        yield f"{what}: as many numbers as a column has rows can determine all of its cells."
    if policy.fillings:
        yield "fillings = true: cells of single rows here go on to other clients, and to who predicts."


def _odd_unit(unit: str, different: int, rows: int) -> Iterator[str]:
    if different == rows:
        yield f"unit = {unit!r} is different in every row: rows are counted, as without it."
    elif different * _ROWS_OF_A_PERSON < rows:
        yield (
            f"unit = {unit!r} has {count(different, 'different value')} in {count(rows, 'row')}. Does it say "
            "whose a row is? It should be something like a patient's number."
        )


def _rare_texts(policy: Policy, column: ColumnValues, rows: int) -> Iterator[str]:
    assert column.counts is not None
    texts, rare = len(column.counts), column.rarer_than(policy.min_count)
    if 2 * texts > rows:
        what = f"{rare:,} of them are rarer than min_count = {policy.min_count} and not named."
        if policy.min_count < 2:
            what = "An encoder would send every one."
        yield (
            f"column {column.name!r} has {texts:,} different texts in {count(rows, 'row')}. {what} Deny the "
            "column if they identify persons."
        )
    elif rare:
        them = "It is not named, and its" if rare == 1 else "They are not named, and their"
        yield (
            f"column {column.name!r}: {count(rare, 'text')} rarer than min_count = {policy.min_count}. {them} "
            "rows become infrequent or unknown where the encoder allows that (handle_unknown=); other "
            "encoders are refused."
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

"""The tables that ``fedps policy check`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fedps.cli.policy.rare_values import ColumnValues
from fedps.cli.policy.rules_table import few
from fedps.cli.policy.verdicts import POSSIBLE, Judge, Verdict
from fedps.client import Policy
from fedps.client.tables import Table
from fedps.report.rendering import Section, count


def columns(table: Table, policy: Policy, found: Sequence[ColumnValues]) -> Section:
    """Return the columns of a table: whether each is offered, and how many values it has."""
    header = ("column", "offered", "different values", "texts rarer than min_count")
    rows = []
    for column in found:
        offered = "yes" if policy.offers(column.name) else "kept back"
        rare = f"{column.rarer_than(policy.min_count):,}" if column.is_text else ""
        rows.append((column.name, offered, column.distinct, rare))
    offers = sum(policy.offers(column.name) for column in found)
    title = f"Columns: {offers} of {count(len(found), 'column')} offered. Every fit sends their names, dtypes,"
    title += f"\nwhich are empty, and the number of rows ({table.schema().rows:,})"
    return Section(title, header, rows, frozenset(header[2:]))


def possible(verdicts: Iterable[Verdict]) -> Section:
    """Return which estimators could be fitted on what; those with equal verdicts share a line."""
    by_name: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_name.setdefault(verdict.estimator, []).append(verdict)
    alike: dict[tuple[str, str], list[str]] = {}
    for name, some in by_name.items():
        able = [
            column for verdict in some if verdict.rule == POSSIBLE for column in verdict.columns
        ]
        alike.setdefault((", ".join(able) or "-", _reasons(some)), []).append(name)
    rows = [(", ".join(names), able, why) for (able, why), names in alike.items()]
    return Section("What could be fitted", ("estimators", "possible on", "not possible on"), rows)


def _reasons(verdicts: Iterable[Verdict]) -> str:
    """Return on which columns an estimator is not possible, by the rule that stops it."""
    unable: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.rule != POSSIBLE:
            unable.setdefault(verdict.rule, []).extend(verdict.columns)
    return "; ".join(f"{', '.join(columns)} ({rule})" for rule, columns in sorted(unable.items()))


def sent(judge: Judge) -> Section:
    """Return what left in all trials."""
    header = ("what it shows", "columns", "level", "statistic")
    rows = [
        (shows, few(sorted(columns)), level, statistic)
        for (statistic, level, shows), columns in sorted(judge.sent.items())
    ]
    return Section("What would leave for that", header, rows)


def shown_less(judge: Judge) -> Section:
    """Return where less was shown than was asked, in all trials."""
    header = ("estimators", "column", "rule", "what is shown")
    rows = [
        (few(sorted(names)), column, rule, shown)
        for (column, rule, shown), names in sorted(judge.less.items())
    ]
    return Section("Where less would be shown than is asked", header, rows)

"""``fedps policy check``: what a policy lets out of a table, for the owner of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

import click

from fedps.cli.judging import POSSIBLE, Judge, Verdict
from fedps.cli.progress import Bar
from fedps.cli.rarity import Rarity, rarities
from fedps.cli.showing import say, show
from fedps.cli.trials import ALL
from fedps.client import Policy, open_table
from fedps.client.policy_file import misspelt, read_policy
from fedps.client.policy_gate import PolicyGate
from fedps.client.tables import Table
from fedps.report.rendering import Section, count

MOST_NAMED = 6


@click.group()
def policy() -> None:
    """Check what a policy lets out of a table."""


@policy.command()
@click.argument("policy_file", metavar="POLICY", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("source", metavar="TABLE")
@click.option("--target", metavar="COLUMN", help="The label column of the table.")
def check(policy_file: Path, source: str, target: str | None) -> None:
    """Show what POLICY, a TOML file, lets out of TABLE, Parquet or CSV files.

    Every estimator is tried on every column, here and now, behind this policy. Nothing is sent, and
    no cell is shown.
    """
    chosen = read_policy(policy_file)
    table = open_table(source, target=target)
    rows = table.schema().rows
    names = table.schema().names or ()
    show(_settings(chosen, policy_file.name))
    known = [*names, *([] if target is None else [target])]
    found = list(rarities(table))
    if PolicyGate(chosen).check_rows(rows) is None:
        click.echo()
        _try_out(table, chosen, found)
    else:
        say(
            f"\nThe table has fewer than min_rows = {chosen.min_rows} rows: this client refuses to "
            "take part in anything."
        )
    advice = _advice(chosen, found, rows) if PolicyGate(chosen).check_rows(rows) is None else ()
    for line in (*misspelt(chosen, known), *advice, *_functions(chosen)):
        say(f"\nWarning: {line}")


def _try_out(table: Table, policy: Policy, found: Sequence[Rarity]) -> None:
    """Show what could be fitted, and what would leave for it."""
    judge = Judge(table, policy)
    verdicts = []
    with Bar("trying", len(ALL), "estimators") as bar:
        for verdict in judge.verdicts():
            verdicts.append(verdict)
            bar.show(ALL.index(verdict.estimator) + 1)
    show(_columns(table, policy, found), _possible(verdicts), _sent(judge))
    if table.target_schema() is None:
        click.echo("\nWithout --target, estimators that read a target were not tried.")


def _settings(policy: Policy, name: str) -> Section:
    rows = [
        ("level", policy.level, LEVELS[policy.level]),
        ("min_rows", str(policy.min_rows), "the fewest rows or cells behind a number"),
        ("max_share", str(policy.max_share), "the most single values of a column in an answer"),
        (
            "max_fits",
            "any" if policy.max_fits is None else str(policy.max_fits),
            "fits to take part in, as the ledger counts them",
        ),
        ("allow", "all" if policy.allow is None else _few(policy.allow), "the columns offered"),
        ("deny", _few(policy.deny), "the columns kept back"),
        ("functions", _few(policy.functions), "functions that may run here"),
    ]
    return Section(f"The policy in {name}", ("rule", "value", "what it means"), rows)


def _columns(table: Table, policy: Policy, found: Sequence[Rarity]) -> Section:
    header = ("column", "offered", "different values", "texts in fewer than min_rows rows")
    rows = []
    for rarity in found:
        offered = "yes" if policy.offers(rarity.column) else "kept back"
        rare = f"{rarity.rarer_than(policy.min_rows):,}" if rarity.is_text else ""
        rows.append((rarity.column, offered, rarity.different, rare))
    offers = sum(policy.offers(rarity.column) for rarity in found)
    title = f"Columns: {offers} of {count(len(found), 'column')} offered. Every fit sends their names, dtypes,"
    title += f"\nwhich are empty, and the number of rows ({table.schema().rows:,})"
    return Section(title, header, rows, frozenset(header[2:]))


def _possible(verdicts: Iterable[Verdict]) -> Section:
    """Return which estimators could be fitted on what; those that fare alike share a line."""
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


def _sent(judge: Judge) -> Section:
    header = ("statistic", "level", "columns", "what it shows")
    rows = [
        (statistic, level, _few(sorted(columns)), shows)
        for (statistic, level, shows), columns in sorted(judge.sent.items())
    ]
    return Section("What would leave for that", header, rows)


def _advice(policy: Policy, found: Sequence[Rarity], rows: int) -> Iterator[str]:
    """Yield what an owner may not have thought of."""
    if policy.level == "ROWS":
        yield "level = 'ROWS' lets whole rows leave."
    if policy.min_rows < 2:
        yield f"min_rows = {policy.min_rows}: a number may stand for a single row."
    if policy.level == "AGGREGATE":
        return
    for rarity in found:
        if not policy.offers(rarity.column) or rarity.counts is None or not rarity.is_text:
            continue
        if 2 * len(rarity.counts) > rows:
            yield (
                f"column {rarity.column!r} has {len(rarity.counts):,} different texts in {rows:,} rows. "
                "An encoder would send every one: deny the column if they tell who somebody is."
            )
        elif rare := rarity.rarer_than(policy.min_rows):
            yield (
                f"column {rarity.column!r}: {count(rare, 'text')} in fewer than min_rows = "
                f"{policy.min_rows} rows. An encoder would send them: no rule keeps rare categories back."
            )


def _functions(policy: Policy) -> Iterator[str]:
    """Yield the functions that are not there."""
    for name in policy.functions:
        module, _, function = name.rpartition(".")
        try:
            there = hasattr(import_module(module), function)
        except ImportError:
            there = False
        if not there:
            yield f"functions names {name!r}, which cannot be imported here."


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return (shown if more <= 0 else f"{shown} and {more} more") or "-"


LEVELS = {
    "AGGREGATE": "sums and counts over all rows",
    "SUMMARY": "also values of cells: extremes, categories",
    "ROWS": "also single rows",
}

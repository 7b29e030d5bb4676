"""``fedps policy check``: what a policy lets out of a table, for the owner of the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from fedps.cli.options import FILE, TARGET_OPTION
from fedps.cli.output import say, show
from fedps.cli.policy import check_tables
from fedps.cli.policy.advice import advice, missing_functions
from fedps.cli.policy.rare_values import ColumnValues, column_values
from fedps.cli.policy.tried_estimators import TRIED
from fedps.cli.policy.verdicts import Judge
from fedps.cli.progress_bars import ProgressBar
from fedps.client import Policy, open_table
from fedps.client.policy_file import misspelt, read_policy
from fedps.client.rules.gate import PolicyGate
from fedps.client.tables import Table


@click.group("policy")
def policy_commands() -> None:
    """Check what a policy lets out of a table."""


@policy_commands.command("check")
@click.argument("policy_file", metavar="POLICY", type=FILE)
@click.argument("source", metavar="TABLE")
@TARGET_OPTION
def _check(policy_file: Path, source: str, target: str | None) -> None:
    """Show what POLICY, a TOML file, lets out of TABLE, Parquet or CSV files.

    Every estimator is tried on every column behind this policy, on this machine. Nothing is sent,
    and no cell is shown.
    """
    chosen = read_policy(policy_file)
    table = open_table(source, target=target)
    rows = table.schema().rows
    names = table.schema().names or ()
    show(check_tables.rules(chosen, policy_file.name))
    known = [*names, *([] if target is None else [target])]
    found = list(column_values(table))
    takes_part = PolicyGate(chosen).check_rows(rows) is None
    if takes_part:
        click.echo()
        _try_out(table, chosen, found)
    else:
        say(
            f"\nThe table has fewer than min_rows = {chosen.min_rows} rows: this client refuses to "
            "take part in anything."
        )
    more = advice(chosen, found, rows) if takes_part else ()
    for line in (*misspelt(chosen, known), *more, *missing_functions(chosen)):
        say(f"\nWarning: {line}")


def _try_out(table: Table, policy: Policy, found: Sequence[ColumnValues]) -> None:
    """Show what could be fitted, and what would leave for that."""
    judge = Judge(table, policy)
    verdicts = []
    with ProgressBar("trying", len(TRIED), "estimators") as bar:
        for verdict in judge.verdicts():
            verdicts.append(verdict)
            bar.show(TRIED.index(verdict.estimator) + 1)
    show(
        check_tables.columns(table, policy, found),
        check_tables.possible(verdicts),
        check_tables.sent(judge),
    )
    if table.target_schema() is None:
        click.echo("\nWithout --target, estimators that read a target were not tried.")

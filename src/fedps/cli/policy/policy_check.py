"""``fedps policy check``: what a policy lets out of a table, for the owner of the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from fedps.cli.ledger.remaining_budget import column_limits
from fedps.cli.named_files import client_name_of
from fedps.cli.options import DTYPE_OPTION, FILE, FULL_OPTION, SOURCE_OPTIONS, TARGET_OPTION
from fedps.cli.output import say, show
from fedps.cli.policy import check_tables, pipeline_tables
from fedps.cli.policy.advice import advice, missing_functions
from fedps.cli.policy.named_policy import find_policy
from fedps.cli.policy.rare_values import ColumnValues, column_values
from fedps.cli.policy.rules_table import rules
from fedps.cli.policy.tried_estimators import TRIED
from fedps.cli.policy.tried_pipeline import Tried, try_pipeline
from fedps.cli.policy.verdicts import Judge
from fedps.cli.progress_bars import ProgressBar
from fedps.client import Ledger, Policy, open_table
from fedps.client.ledger import Account
from fedps.client.policy_file import misspelt
from fedps.client.rules.gate import PolicyGate
from fedps.client.rules.units import Units
from fedps.client.tables import Table
from fedps.client.tables.named_source import named_source
from fedps.errors import UsageError
from fedps.files.pipelines import load_pipeline


@click.group("policy")
def policy_commands() -> None:
    """Check what a policy lets out of a table."""


@policy_commands.command("check")
@click.argument("policy_name", metavar="POLICY")
@click.argument("source", metavar="TABLE")
@TARGET_OPTION
@DTYPE_OPTION
@SOURCE_OPTIONS
@click.option(
    "--pipeline", metavar="FILE:NAME",
    help="Try this estimator, such as prep.py:pipeline. Default: every estimator on every column.",
)  # fmt: skip
@click.option(
    "--ledger", type=FILE, help="With --pipeline: the client's ledger, which has what was told before."
)  # fmt: skip
@FULL_OPTION
def _check(
    policy_name: str, source: str, target: str | None, dtypes: dict[str, str] | None,
    query: str | None, read: dict[str, str] | None, pipeline: str | None, ledger: Path | None,
) -> None:  # fmt: skip
    """Show what POLICY lets out of TABLE: files, or a database with --query.

    POLICY is a TOML file, or the name of a preset: open, default, strict, datashield. Every estimator
    is tried on every column behind this policy, or the pipeline is, on this machine. Nothing is sent, and
    no cell is shown.
    """
    named = find_policy(policy_name)
    chosen = named.policy
    before = _account(ledger, pipeline)
    estimator = None if pipeline is None else load_pipeline(pipeline)
    table = open_table(named_source(source, query, read), target=target, dtypes=dtypes)
    known = [*(table.schema().names or ()), *([] if target is None else [target])]
    no_unit = chosen.unit is not None and chosen.unit not in known
    units = None if chosen.unit is None or no_unit else Units(table, chosen.unit)
    refused = PolicyGate(chosen, units).check_rows(table.schema().rows)
    if estimator is not None and not no_unit and refused is None:
        tried = try_pipeline(estimator, table, chosen, _client_name(source), before)
    else:
        tried = None
    show(rules(named))
    warnings = [*misspelt(chosen, known), *missing_functions(chosen)]
    if no_unit:
        say("\nThe table has no column for unit: a client with this policy does not start.")
    elif refused is not None:
        say(
            f"\nmin_rows: the policy {refused.limit}. This client refuses to take part in anything."
        )
    else:
        found = list(column_values(table, units))
        warnings += advice(chosen, found, table.schema().rows, units)
        click.echo()
        if tried is None:
            _try_out(table, chosen, found)
        else:
            show(check_tables.columns(table, chosen, found))
            _show_tried(tried, table, chosen, before)
    for line in warnings:
        say(f"\nWarning: {line}")


def _account(ledger: Path | None, pipeline: str | None) -> Account:
    """Return what a ledger adds up to; without one, nothing."""
    if ledger is None:
        return Account(0, {}, lambda _: False)
    if pipeline is None:
        raise UsageError("--ledger needs --pipeline, too: it tells what is left for a pipeline.")
    if not ledger.expanduser().is_file():
        raise UsageError(f"there is no file {str(ledger)!r}: --ledger is the client's ledger.")
    return Ledger(ledger).account()


def _client_name(source: str) -> str:
    """Return what the client is called in errors: like its file.

    >>> _client_name("data/oslo.parquet")
    'oslo'
    """
    return client_name_of(source) or "here"


def _show_tried(tried: Tried, table: Table, policy: Policy, before: Account) -> None:
    """Show what the trial of a pipeline came to."""
    limits = column_limits(policy, table.schema().rows)
    sections = [
        pipeline_tables.leaving(tried),
        pipeline_tables.bites(tried),
        pipeline_tables.budget_used(tried, limits, before),
    ]
    for section in sections:
        if section.rows:
            click.echo()
            show(section)
    for text in pipeline_tables.trial_remarks(tried, policy, limits, before):
        say(f"\n{text}")


def _try_out(table: Table, policy: Policy, found: Sequence[ColumnValues]) -> None:
    """Show what could be fitted, and what would leave for that."""
    judge = Judge(table, policy)
    verdicts = []
    with ProgressBar("trying", len(TRIED), "estimators") as bar:
        for verdict in judge.verdicts():
            verdicts.append(verdict)
            bar.show(TRIED.index(verdict.estimator) + 1)
    sections = [
        check_tables.columns(table, policy, found),
        check_tables.possible(verdicts),
        check_tables.sent(judge),
        check_tables.shown_less(judge),
    ]
    show(*(section for section in sections if section.rows))
    if table.target_schema() is None:
        click.echo("\nWithout --target, estimators that read a target were not tried.")
    if policy.min_clients > 1:
        say(
            f"\nmin_clients = {policy.min_clients}: a fit with fewer clients is refused. This was tried as if "
            "enough took part."
        )

"""Clients that are files, all in this process: the options that name them, and their federation."""

from __future__ import annotations

from typing import Any

import click

from fedps.cli.named_files import read_clients, read_policies
from fedps.cli.named_sources import read_sources
from fedps.cli.options import (
    CLIENT_OPTION,
    CLIENT_SOURCE_OPTIONS,
    DTYPE_OPTION,
    TARGET_OPTION,
    all_of,
)
from fedps.cli.progress_bars import RoundBar
from fedps.federation import Federation

CLIENTS_HERE = all_of(
    CLIENT_OPTION,
    CLIENT_SOURCE_OPTIONS,
    click.option(
        "--split", type=click.Choice(["rows", "columns"]), default="rows", show_default=True,
        help="Whether each client has some of the rows, or some of the columns.",
    ),
    TARGET_OPTION,
    DTYPE_OPTION,
    click.option(
        "--key", metavar="COLUMN", help="With --split columns: the column that identifies rows."
    ),
    click.option(
        "--match", type=click.Choice(["same", "private"]), default="same", show_default=True,
        help="With --split columns: whether all have the same rows, or rows are matched.",
    ),
    click.option(
        "--policy", "policies", metavar="[NAME=]FILE", multiple=True,
        help="A TOML file with what may leave all clients, or one. Default: everything.",
    ),
)  # fmt: skip


def federation_here(given: dict[str, Any], **faults: Any) -> Federation:
    """Return the federation of the clients that the options name."""
    clients = read_clients(given["clients"])
    found = read_sources(clients, given["queries"], given["reads"])
    return Federation(
        {name: one.source() for name, one in found.items()},
        split=given["split"],
        target=given["target"],
        key=given["key"],
        match=given["match"],
        policy=read_policies(given["policies"], clients),
        dtypes=given["dtypes"],
        progress=RoundBar,
        **faults,
    )

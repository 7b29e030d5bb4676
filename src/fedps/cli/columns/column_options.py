"""The options of clients that hold different columns of the same rows, on engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fedps.cli.options import all_of

_ANY = click.Path(path_type=Path)  # a file or a folder

# What is fitted or looked at.
SPLIT_OPTIONS = all_of(
    click.option(
        "--split", type=click.Choice(["rows", "columns"]),
        help="Whether each client has some of the rows (the default), or some of the columns.",
    ),
    click.option(
        "--key", metavar="COLUMN",
        help="With --split columns: what identifies rows. Each client names its own column.",
    ),
    click.option(
        "--target", metavar="COLUMN",
        help="With --split columns: the label column, which one client has.",
    ),
    click.option(
        "--match", type=click.Choice(["same", "private"]),
        help="With --split columns: whether all have the same rows (the default), or rows are matched by keys "
        "that nobody shows.",
    ),
)  # fmt: skip
NAME_OPTION = click.option(
    "--name", metavar="NAME",
    help="With --split columns: under which clients keep their parts. Default: any.",
)  # fmt: skip

# What is predicted.
PREDICT_OPTIONS = all_of(
    click.option(
        "--rows", type=click.Choice(["own", "new"]), default="new", show_default=True,
        help="The clients' own rows, or those that their settings name as new.",
    ),
    click.option(
        "--to", type=click.Choice(["server", "target"]), default="server", show_default=True,
        help="Who gets the predictions: the server, or the client that has the target.",
    ),
    click.option("--key", metavar="COLUMN", help="What identifies rows, in messages."),
    click.option("--target", metavar="COLUMN", help="The label column, in messages."),
    click.option(
        "--match", type=click.Choice(["same", "private"]),
        help="Whether all have the same rows (the default), or rows are matched by keys "
        "that nobody shows.",
    ),
    click.option(
        "--max-rows", metavar="N", type=click.IntRange(min=1),
        help="The most rows that a client may claim to have. Default: 2147483648.",
    ),
)  # fmt: skip

# The settings of one client. --key of a Flower client is its private key.
OWNED_OPTIONS = all_of(
    click.option(
        "--split", type=click.Choice(["rows", "columns"]),
        help="Whether the data is some of the rows (the default), or some of the columns.",
    ),
    click.option(
        "--key-column", metavar="COLUMN",
        help="With --split columns: the column that identifies rows; it is not a feature.",
    ),
    click.option(
        "--new", metavar="FILES",
        help="With --split columns: the rows to predict; this client's columns of them, and the key.",
    ),
    click.option(
        "--outputs", type=_ANY, metavar="PATH",
        help="With --split columns: a file or folder for this client's transformed rows.",
    ),
    click.option(
        "--predictions", type=_ANY, metavar="PATH",
        help="With --split columns: a file or folder for predictions that are delivered here.",
    ),
    click.option(
        "--salt", type=_ANY, metavar="FILE",
        help="With --split columns: a file with a secret that clients share, and the server does not know.",
    ),
)  # fmt: skip


def owned_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a client by the names of its settings."""
    found = {**given, "key": given["key_column"], "split": given["split"] or "rows"}
    del found["key_column"]
    return found

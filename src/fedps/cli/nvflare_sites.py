"""Which sites take part in a job on NVFLARE: by name, or how many."""

from __future__ import annotations

from collections.abc import Sequence

import click

from fedps.errors import UsageError

SITES = click.option(
    "--site",
    "sites",
    metavar="NAME",
    multiple=True,
    help="A site that takes part. Once for each site.",
)


def who_takes_part(sites: Sequence[str], clients: int | None) -> int | list[str]:
    """Return the names of the sites, or how many there are; UsageError unless one of both is given."""
    if bool(sites) == (clients is not None):
        raise UsageError("say who takes part: --site for each site, or --clients and a number.")
    return list(sites) or clients or 0

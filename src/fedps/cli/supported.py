"""``fedps supported``: the estimators that can be fitted across clients."""

from __future__ import annotations

import click


@click.command()
def supported() -> None:
    """List the scikit-learn estimators that can be fitted across clients."""
    from fedps import supported as names

    for name in names():
        click.echo(name)

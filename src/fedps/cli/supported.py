"""``fedps supported``: the estimators that can be fitted across clients."""

from __future__ import annotations

import click


@click.command("supported")
def supported_command() -> None:
    """List the scikit-learn estimators that can be fitted across clients."""
    from fedps import supported

    for name in supported():
        click.echo(name)

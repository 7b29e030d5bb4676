"""``fedps requests``: list, show, approve and deny what servers ask a client for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from fedps.cli.options import FULL_OPTION
from fedps.cli.output import say, show
from fedps.cli.requests import match_tables, request_tables
from fedps.client.ledger import Ledger
from fedps.client.requests.client_card import read_card
from fedps.client.requests.in_words import RequestOnTable
from fedps.client.requests.request_folder import RequestFile, RequestFolder, Status
from fedps.errors import UsageError, did_you_mean
from fedps.protocol.messages import Request

_LEDGER = click.argument("ledger", type=click.Path(path_type=Path, dir_okay=False))
_DONE = {
    "approved": "this client answers it from now on.",
    "denied": "this client does not answer the pipeline, not even in a fit that is under way.",
}


@click.group("requests")
def request_commands() -> None:
    """Approve or deny pipelines that wait for a client's owner.

    A client whose policy has consent = "owner" answers only pipelines that were approved. Others wait
    beside its ledger, the file LEDGER, under a short NAME.
    """


@request_commands.command("list")
@_LEDGER
def _list(ledger: Path) -> None:
    """List the requests at a client, those that wait first."""
    found = _all(_folder(ledger))
    if found:
        show(request_tables.all_requests(found, ledger.name))
    else:
        say(
            f"{ledger.name}: no requests. They are kept where the client's policy has consent = "
            '"owner".'
        )


@request_commands.command("show")
@_LEDGER
@click.argument("name")
@FULL_OPTION
def _show(ledger: Path, name: str) -> None:
    """Tell in plain words what a request would ask of this client's table. Nothing is sent."""
    folder = _folder(ledger)
    kept = _find(folder, name)
    request = _unpacked(folder, kept)
    card = read_card(folder)
    if card is None:
        raise UsageError(
            f"the columns of the client are not known: {str(folder.path)!r} has no client.json that can "
            "be read. The client writes it when it is started."
        )
    if request.matches:
        show(*match_tables.described_match(kept, request, card))
        click.echo(f"\n{request_tables.what_to_do(kept, ledger)}")
        return
    on = RequestOnTable(request, card.schema, card.target, card.policy)
    account = Ledger(ledger).account()
    show(*request_tables.described(kept, on, card.client, account))
    for text in request_tables.remarks(on, account):
        say(f"\n{text}")
    click.echo(f"\n{request_tables.what_to_do(kept, ledger)}")


@request_commands.command("approve")
@_LEDGER
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def _approve(ledger: Path, names: Sequence[str]) -> None:
    """Let the client answer a pipeline from now on."""
    folder = _folder(ledger)
    found = [_find(folder, name) for name in names]
    for kept in found:
        _unpacked(folder, kept)  # what is approved must be what show tells about
    _decide(folder, found, "approved")


@request_commands.command("deny")
@_LEDGER
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def _deny(ledger: Path, names: Sequence[str]) -> None:
    """Do not let the client answer a pipeline, also if it was approved before."""
    folder = _folder(ledger)
    _decide(folder, [_find(folder, name) for name in names], "denied")


def _decide(folder: RequestFolder, found: Sequence[RequestFile], status: Status) -> None:
    for kept in found:
        folder.decide(kept.digest, status)
        click.echo(f"{kept.name} is {status}: {_DONE[status]}")


def _folder(ledger: Path) -> RequestFolder:
    if not ledger.expanduser().is_file():
        raise UsageError(f"there is no file {str(ledger)!r}: LEDGER is the client's ledger.")
    return RequestFolder(ledger.expanduser())


def _all(folder: RequestFolder) -> list[RequestFile]:
    return list(folder.all()) if folder.path.is_dir() else []


def _find(folder: RequestFolder, name: str) -> RequestFile:
    """Return the request that a name, or the beginning of one, stands for."""
    every = _all(folder)
    found = [kept for kept in every if kept.digest.startswith(name.lower())]
    if len(found) == 1 and name:
        return found[0]
    if found:
        raise UsageError(
            f"{name!r} may be {' or '.join(kept.digest for kept in found[:5])}: give more digits."
        )
    hint = did_you_mean(name, [kept.name for kept in every])
    if not every:
        hint = " There are none."
    raise UsageError(f"there is no request {name!r}.{hint}")


def _unpacked(folder: RequestFolder, kept: RequestFile) -> Request:
    request = kept.unpacked()
    if request is None or not request.needs_consent:
        raise UsageError(
            f"the request {kept.name!r} cannot be read: it is of another version of fedps, or was changed. "
            f"Remove {str(folder.path / (kept.digest + '.json'))!r}; the server can ask again."
        )
    return request

"""Answering a round for a client of an engine, whatever arrives and whatever goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from fedps.client import Ledger, Policy, Responder, open_table
from fedps.client.own_files import NotOwn
from fedps.client.owner.fit_folder import FitFolder
from fedps.client.owner.fit_secrets import FitSecrets
from fedps.client.owner.kept_matches import KeptMatches
from fedps.client.owner.owner_files import OwnerFiles
from fedps.client.owner.owner_state import OwnerState
from fedps.client.requests.client_card import ClientCard, card_of, write_card
from fedps.client.requests.known_requesters import Consent, KnownRequesters
from fedps.client.requests.owner_consent import OwnerConsent
from fedps.client.requests.request_folder import RequestFolder
from fedps.client.tables import Table
from fedps.client.tables.cast_columns import read_dtypes
from fedps.client.tables.files.csv_options import CSV
from fedps.client.tables.files.paths import matching_files
from fedps.client.tables.owned_table import OwnedTable, open_owned
from fedps.client.tables.sources.uri import is_uri
from fedps.engines.owned import Owned, ledger_of_owner
from fedps.errors import PeerError, UsageError
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Failure, Reply, Round, mark
from fedps.statistics import BadCells

log = logging.getLogger("fedps.client")

_How = tuple[bool, str | None, str | None]  # whether columns are split, the target, the key


def open_client(  # noqa: PLR0913 - each by its name
    name: str,
    table: Any,
    policy: Policy | None,
    ledger: Ledger | str | Path | None,
    peer: str,
    *,
    target: str | None = None,
    dtypes: Mapping[str, str] | None = None,
    requester: str | None = None,
    owned: Owned | None = None,
) -> Responder:
    """Return what answers for a client of an engine.

    Parameters
    ----------
    name : str
        What the client is called.
    table : table or callable
        Anything that ``fedps.Federation`` takes as a table, or a function without arguments that
        returns it.
    policy : Policy or None
        What the client is willing to reveal; None is ``fedps.Policy()``.
    ledger : Ledger, path or None
        Where everything that leaves is recorded. A file is needed where the policy limits what is told
        over time, as the default policy does.
    peer : str
        Who asks, for the ledger.
    target : str, optional
        The label column.
    dtypes : dict of str to str, optional
        What some columns are read as, such as ``{"zip": "str"}``.
    requester : str, optional
        The user who started the run, whom the policy may list; empty if the engine names none this
        time. Default: the engine never tells a client who that is.
    owned : Owned, optional
        What an owner of columns has, with ``split="columns"``. Default: the client holds rows of all columns.
    """
    rules = policy or Policy()
    own = ledger if isinstance(ledger, Ledger) else Ledger(ledger, peer)
    opened = _opened(table, target, read_dtypes(dtypes), owned)
    consent: Consent | None = None
    if rules.consent == "owner":
        consent = OwnerConsent(_request_folder(own.path, card_of(name, opened, rules)))
    if rules.requesters is not None:
        consent = KnownRequesters(rules.requesters, _told(requester), consent)
    if rules.adding_up and own.path is None:  # nothing else outlives the process
        raise _no_ledger(rules)
    if owned is None:
        return Responder(name, opened, rules, ledger=own, consent=consent)
    path = ledger_of_owner(own.path)
    if isinstance(opened, OwnedTable):
        opened.salt = owned.salt
    files = OwnerFiles(
        FitFolder(path),
        None if owned.new is None else partial(_open_new, owned, read_dtypes(dtypes)),
        _path(owned.outputs),
        _path(owned.predictions),
    )
    secrets = FitSecrets(path.with_name(path.name + ".secrets"))
    matches = KeptMatches(path.with_name(path.name + ".matches"))
    state = OwnerState(secrets, matches, files)
    return Responder(name, opened, rules, ledger=own, consent=consent, own=state)


def _no_ledger(policy: Policy) -> UsageError:
    names = policy.adding_up
    listed = ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]
    off = {"max_share": "max_share = 1.0", "budget": "budget = inf", "max_fits": "no max_fits"}
    return UsageError(
        f"the policy has {listed}. That is counted over the life of a ledger: give the client a file for "
        f"one, such as oslo.jsonl. Without such limits ({', '.join(off[name] for name in names)}) it needs "
        "none."
    )


def _told(requester: str | None) -> str:
    if requester is None:
        raise UsageError(
            "the policy has requesters, and this engine does not tell a client which user started a run. "
            "Take it out of the policy, and use consent = 'owner' to decide about each pipeline."
        )
    return requester


def _request_folder(ledger: Path | None, card: ClientCard) -> RequestFolder:
    """Return the folder of the requests that wait for the owner, with what they are held against."""
    if ledger is None:
        raise UsageError(
            "the policy has consent = 'owner', and requests are kept beside a ledger: give the "
            "client one."
        )
    folder = RequestFolder(ledger)
    try:
        folder.make()
        write_card(folder, card)
    except (OSError, NotOwn) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"requests cannot be kept in {str(folder.path)!r}: {reason}.") from None
    return folder


def answer_guarded(name: str, message: bytes, open_responder: Callable[[], Responder]) -> bytes:
    """Return the reply to a round; empty if ``message`` is not a round. Never raises.

    An engine would send the text of an exception to the server, and that can quote a cell. Where
    ``open_responder`` fails to open the table, the policy or the ledger, the server is told that it
    did, and the reason stays in the log of the client.
    """
    try:
        round_ = decode(message, Round, "the server")
    except PeerError:
        log.exception("client %r got something that is not a message of fedps", name)
        return b""
    try:
        return open_responder().answer(message)
    except Exception:
        log.exception("client %r could not be set up for round %d", name, round_.number)
    return encode(Reply(name, round_.number, (), (), Failure("setup"), mark(message)))


def _open_new(owned: Owned, dtypes: dict[str, str]) -> OwnedTable:
    """Return the rows to predict; why they cannot be opened stays in the log of the client."""
    try:
        found = _opened(owned.new, None, dtypes, owned)
    except (UsageError, OSError):
        log.exception("the new rows cannot be opened")
        raise BadCells("new rows") from None
    assert isinstance(found, OwnedTable)
    return found


def _path(named: str | Path | None) -> Path | None:
    return None if named is None else Path(named).expanduser()


def _opened(table: Any, target: str | None, dtypes: dict[str, str], owned: Owned | None) -> Table:
    source = table() if callable(table) else table
    if isinstance(source, Table):
        return source
    key = None if owned is None else owned.key
    if isinstance(source, str | Path | CSV) and not is_uri(str(source)):
        return _open_files(source, (owned is not None, target, key), dtypes)
    if owned is not None:
        return open_owned(source, target=target, key=key, dtypes=dtypes)
    return open_table(source, target=target, dtypes=dtypes)


def _open_files(source: str | Path | CSV, how: _How, dtypes: dict[str, str]) -> Table:
    """Return the table in some files. They are opened again only if they changed.

    Flower opens a client for each message, sometimes in a process that stays.
    """
    own = isinstance(source, CSV)
    paths = matching_files(source.path, "CSV") if own else matching_files(source)  # type: ignore[union-attr,arg-type]
    found = [(path, path.stat()) for path in paths]
    stamp = tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in found)
    return _open_stamped(_ByText(source), how, tuple(dtypes.items()), stamp)


class _ByText:
    """A source that equals another if both are written alike: options may be lists."""

    def __init__(self, source: str | Path | CSV) -> None:
        self.source = source

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByText) and repr(self.source) == repr(other.source)

    def __hash__(self) -> int:
        return hash(repr(self.source))


@lru_cache(maxsize=64)
def _open_stamped(
    named: _ByText, how: _How, dtypes: tuple[tuple[str, str], ...], _stamp: Any
) -> Table:
    by_columns, target, key = how
    if by_columns:
        return open_owned(named.source, target=target, key=key, dtypes=dict(dtypes))
    return open_table(named.source, target=target, dtypes=dict(dtypes))

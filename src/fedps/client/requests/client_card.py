"""ClientCard: a client's columns and policy, kept beside its requests so that these can be shown.

It holds no cell: names, dtypes, the number of rows, and the rules that the owner set.
"""

from __future__ import annotations

import logging
from contextlib import suppress

import msgspec
from msgspec import Struct

from fedps.client.own_files import NotOwn, read_own, write_own
from fedps.client.policy import Policy
from fedps.client.requests.request_folder import RequestFolder
from fedps.client.tables import Table
from fedps.statistics import Schema

CARD_FILE = "client.json"
_LARGEST = 64 * 1024 * 1024  # bytes: tables can have very many columns

log = logging.getLogger("fedps.client")


class ClientCard(Struct, frozen=True, forbid_unknown_fields=True):
    """What a request is held against: the client's table and its rules, as they were last opened."""

    client: str
    schema: Schema
    target: str | None
    policy: Policy


def card_of(client: str, table: Table, policy: Policy) -> ClientCard:
    """Return the card of a client."""
    has_target = table.target_schema() is not None
    target = (table.target_name or "target") if has_target else None
    return ClientCard(client, table.schema(), target, policy)


def write_card(folder: RequestFolder, card: ClientCard) -> None:
    """Keep a card, unless it is the one that is there; OSError or NotOwn if that cannot be."""
    path, new = folder.path / CARD_FILE, msgspec.json.encode(card)
    with suppress(OSError, NotOwn):
        if read_own(path, _LARGEST) == new:
            return
    with folder.lock():
        write_own(path, new)


def read_card(folder: RequestFolder) -> ClientCard | None:
    """Return the card in a folder; None if there is none that can be read."""
    try:
        found = read_own(folder.path / CARD_FILE, _LARGEST)
        return msgspec.json.decode(found, type=ClientCard)
    except FileNotFoundError:
        return None
    except (OSError, NotOwn, msgspec.DecodeError, ValueError):
        log.warning("%s cannot be read", CARD_FILE)
        return None

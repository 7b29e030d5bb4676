"""Options of the form ``NAME=FILE``: clients and their policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from fedps.client.policy import Policy
from fedps.client.policy_file import read_policy
from fedps.client.tables.sources.uri import is_uri, without_password
from fedps.errors import UsageError, did_you_mean


def read_clients(given: Sequence[str]) -> dict[str, str]:
    """Return the clients' files by name, from texts such as ``oslo=oslo.parquet``.

    A client without a name is called after its file.

    >>> read_clients(["oslo=data/oslo.csv", "data/bergen.csv"])
    {'oslo': 'data/oslo.csv', 'bergen': 'data/bergen.csv'}
    """
    clients: dict[str, str] = {}
    for text in given:
        name, path = _split_name(text)
        name = name or client_name_of(path)
        if not name or not path:
            raise UsageError(
                f"--client {without_password(text)!r}: write NAME=FILE, such as oslo=oslo.parquet."
            )
        if name in clients:
            raise UsageError(f"two clients are called {name!r}. Give each a name: NAME=FILE.")
        clients[name] = path
    return clients


def client_name_of(path: str) -> str:
    """Return what a client without a name is called: like its file, or like its database.

    >>> client_name_of("data/oslo.csv.gz"), client_name_of("postgresql://ana:hunter2@host/visits?sslmode=require")
    ('oslo', 'visits')
    """
    place = urlsplit(path).path if is_uri(path) else path
    return Path(place).name.partition(".")[0]


def _split_name(text: str) -> tuple[str, str]:
    """Return the name before the first ``=`` and the rest; no name if the ``=`` is part of a path.

    >>> _split_name("oslo=a.csv"), _split_name("data/year=2024/a.csv")
    (('oslo', 'a.csv'), ('', 'data/year=2024/a.csv'))
    """
    name, equals, rest = text.partition("=")
    if equals and not name:
        raise UsageError(f"{without_password(text)!r} has no name before the '=': write NAME=FILE.")
    if not equals or "/" in name or "\\" in name:
        return "", text
    return name, rest


def read_policies(given: Sequence[str], clients: Mapping[str, str]) -> dict[str, Policy] | None:
    """Return each client's policy, from texts such as ``policy.toml`` and ``oslo=strict.toml``.

    The one without a name is for all other clients. None if there are no policies.
    """
    everyone: Policy | None = None
    own: dict[str, Policy] = {}
    for text in given:
        name, path = _split_name(text)
        if not name:
            if everyone is not None:
                raise UsageError(
                    "--policy is given twice for all clients. Write NAME=FILE for one."
                )
            everyone = read_policy(path)
            continue
        if name not in clients:
            hint = did_you_mean(name, clients)
            raise UsageError(f"--policy {text!r}: {name!r} is not a client.{hint}")
        if name in own:
            raise UsageError(f"--policy is given twice for client {name!r}.")
        own[name] = read_policy(path)
    if everyone is not None:
        own = {name: own.get(name, everyone) for name in clients}
    return own or None

"""What the options of ``fit`` and ``explain`` say: clients, policies, sketches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fedps.client.policy import Policy
from fedps.client.policy_file import read_policy
from fedps.errors import UsageError, did_you_mean
from fedps.statistics import KLL, REQ, FrequentItems

SKETCHES: dict[str, Mapping[str, type[Any]]] = {
    "quantiles": {"kll": KLL, "req": REQ},
    "frequent": {"items": FrequentItems},
}


def read_clients(given: Sequence[str]) -> dict[str, str]:
    """Return the clients' files by name, from texts such as ``oslo=oslo.parquet``.

    >>> read_clients(["oslo=data/oslo.csv", "data/bergen.csv"])
    {'oslo': 'data/oslo.csv', 'bergen': 'data/bergen.csv'}
    """
    clients: dict[str, str] = {}
    for text in given:
        name, path = split_name(text)
        name = name or Path(path).name.partition(".")[0]
        if not name or not path:
            raise UsageError(f"--client {text!r}: write NAME=FILE, such as oslo=oslo.parquet.")
        if name in clients:
            raise UsageError(f"two clients are called {name!r}. Give each a name: NAME=FILE.")
        clients[name] = path
    return clients


def split_name(text: str) -> tuple[str, str]:
    """Return the name before the first ``=`` and what follows; no name where it is part of a path.

    >>> split_name("oslo=a.csv"), split_name("data/year=2024/a.csv")
    (('oslo', 'a.csv'), ('', 'data/year=2024/a.csv'))
    """
    name, equals, rest = text.partition("=")
    if equals and not name:
        raise UsageError(f"{text!r} has no name before the '=': write NAME=FILE.")
    if not equals or "/" in name or "\\" in name:
        return "", text
    return name, rest


def read_policies(given: Sequence[str], clients: Mapping[str, str]) -> dict[str, Policy] | None:
    """Return each client's policy, from texts such as ``policy.toml`` and ``oslo=strict.toml``.

    The one without a name is for all others. None where nothing was given.
    """
    everyone: Policy | None = None
    own: dict[str, Policy] = {}
    for text in given:
        name, path = split_name(text)
        if not name:
            if everyone is not None:
                raise UsageError(
                    "--policy is there twice for all clients. Write NAME=FILE for one."
                )
            everyone = read_policy(path)
            continue
        if name not in clients:
            hint = did_you_mean(name, clients)
            raise UsageError(f"--policy {text!r}: {name!r} is no client.{hint}")
        if name in own:
            raise UsageError(f"--policy is there twice for client {name!r}.")
        own[name] = read_policy(path)
    if everyone is not None:
        own = {name: own.get(name, everyone) for name in clients}
    return own or None


def read_sketch(option: str, text: str) -> Any:
    """Return what ``quantiles=`` or ``frequent=`` takes, from a text such as ``kll:200``.

    >>> read_sketch("quantiles", "exact"), read_sketch("quantiles", "kll:400").k
    ('exact', 400)
    """
    kinds = SKETCHES[option]
    kind, colon, size = text.lower().partition(":")
    if text.lower() == "exact":
        return "exact"
    if kind not in kinds or (colon and not size.isascii()) or (colon and not size.isdigit()):
        ways = ", ".join(f"{name} or {name}:{kinds[name]().k}" for name in kinds)
        raise UsageError(f"--{option} {text!r}: it is exact, {ways}.")
    try:
        return kinds[kind](k=int(size)) if size else kinds[kind]()
    except ValueError as error:
        raise UsageError(f"--{option} {text!r}: {error}.") from None

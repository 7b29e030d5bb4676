"""What a node's config says: its table, its policy, its ledger."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from fedps.client import Responder, open_table
from fedps.client.policy_file import read_policy
from fedps.client.tables import Table
from fedps.client.tables.files.paths import matching_files
from fedps.engines.engine_adapter import open_client
from fedps.errors import UsageError, unknown_setting

SETTINGS = ("name", "data", "target", "policy", "ledger")
FLOWERS = ("partition-id", "num-partitions")  # those that Flower's simulation sets


def open_node(name: str, config: Mapping[str, Any], peer: str) -> Responder:
    """Return what answers for a node, by its config. A mistake in it is an error.

    ``peer`` is who asks, for the ledger.
    """
    settings = read_settings(config)
    policy = read_policy(settings["policy"]) if settings.get("policy") else None
    table = open_files(settings["data"], settings.get("target"))
    return open_client(name, table, policy, settings.get("ledger"), peer)


def read_settings(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of a node config: all text, none unknown, and where the data is."""
    for key, value in config.items():
        if key in FLOWERS:
            continue
        if key not in SETTINGS:
            raise unknown_setting("the node config", key, SETTINGS)
        if not isinstance(value, str) or not value:
            raise UsageError(f"{key!r} of the node config is text in quotes; got {value!r}.")
    settings = {key: str(config[key]) for key in SETTINGS if key in config}
    if "data" not in settings:
        raise UsageError(
            "the node config does not say where the data is. Start the node with "
            "'fedps flower client', or with --node-config 'data=\"patients.parquet\"'."
        )
    return settings


def open_files(source: str, target: str | None) -> Table:
    """Return the table in some files; where a process lives on, it is opened once."""
    found = [(path, path.stat()) for path in matching_files(source)]
    stamp = tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in found)
    return _opened(source, target, stamp)


@lru_cache(maxsize=64)
def _opened(source: str, target: str | None, _stamp: Any) -> Table:
    return open_table(source, target=target)

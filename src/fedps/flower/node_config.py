"""What a node's config says: the client's name and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedps.engines.client_settings import ClientSettings, read_settings

_NOT_OURS = ("name", "partition-id", "num-partitions")  # Flower's simulation sets the last two


def read_node_config(config: Mapping[str, Any]) -> ClientSettings:
    """Return the settings in a node config. A mistake in it is a UsageError."""
    own = {key: value for key, value in config.items() if key not in _NOT_OURS}
    return read_settings(
        own,
        "the node config",
        "start the node with 'fedps flower client', or with --node-config 'data=\"patients.parquet\"'.",
    )


def node_config(name: str, settings: ClientSettings) -> dict[str, str]:
    """Return the node config of a client."""
    return {"name": name, **settings.absolute().given()}

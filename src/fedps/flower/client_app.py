"""The ready-made ClientApp: everything that it needs is in the node's own config.

Use it by name in the ``pyproject.toml`` of an app: ``clientapp = "fedps.flower.client_app:app"``. The
node config, which belongs to the owner of the data, has

=========  ==========================================================================
name       what the client is called
data       the path or glob of Parquet or CSV files
target     the label column, if there is one
policy     the path of a policy file; without one the strict default policy holds
ledger     the path of the ledger, to which a line is added for everything that leaves
=========  ==========================================================================

``fedps flower client`` starts a node with such a config. Nothing of it comes from the server.
"""

from __future__ import annotations

from flwr.app import Context, Message
from flwr.clientapp import ClientApp

from fedps.flower.answering import name_of, peer_of, reply
from fedps.flower.node import open_node
from fedps.transports.flower import ACTION


def preprocessing(message: Message, context: Context) -> Message:
    """Answer a round of FedPS about the node's own table."""
    name = name_of(context)
    peer = peer_of(context)
    return reply(message, context, name, lambda: open_node(name, context.node_config, peer))


app = ClientApp()
app.query(ACTION)(preprocessing)

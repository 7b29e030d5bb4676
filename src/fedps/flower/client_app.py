"""The ready-made ClientApp: everything that it needs is in the node's own config.

Use it by name in the ``pyproject.toml`` of an app: ``clientapp = "fedps.flower.client_app:app"``. The
node config has the client's ``name`` and the settings of ``fedps.engines.client_settings``. It belongs
to the owner of the data, and nothing in it comes from the server. ``fedps flower client`` starts a node
with such a config.
"""

from __future__ import annotations

from flwr.app import Context, Message
from flwr.clientapp import ClientApp

from fedps.client import Responder
from fedps.flower.client_answer import asking_run, node_name, reply_with_journal
from fedps.flower.node_config import read_node_config
from fedps.transports.flower import ACTION


def _preprocessing(message: Message, context: Context) -> Message:
    """Answer a round of FedPS about the node's own table."""
    name = node_name(context)

    def open_node() -> Responder:
        return read_node_config(context.node_config).open(name, asking_run(context))

    return reply_with_journal(message, context, name, open_node)


app = ClientApp()
app.query(ACTION)(_preprocessing)

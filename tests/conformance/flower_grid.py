"""A Flower grid in this process: each node is a ClientApp that is called when replies are pulled."""

from contextlib import contextmanager
from itertools import count
from unittest.mock import patch

from flwr.app import Context, Error, Message, RecordDict
from flwr.supercore.task_identity import TaskIdentity

FIRST_NODE = 9_000_000_001  # Flower's numbers are large


class InProcessGrid:
    """Nodes with a node config each. ``faults`` say what happens to a message instead of a reply.

    A fault is called with the node's name and the number of its message, 1 and up; it returns None
    for nothing, an ``Error``, a ``Message`` to answer with, or ``"silence"``.
    """

    def __init__(self, app, configs, *, fault=lambda name, number: None, late=0):
        self.app = app
        self.configs = {FIRST_NODE + i: config for i, config in enumerate(configs)}
        self.fault = fault
        self.looks = 0
        self._late = late  # nodes appear only after so many looks
        self.contexts = {
            node: Context(run_id=1, node_id=node, node_config=c, state=RecordDict(), run_config={})
            for node, c in self.configs.items()
        }
        self._numbers = {node: count(1) for node in self.configs}
        self._ids = count(1)
        self._waiting = {}
        self.sent = []

    def get_node_ids(self):
        self.looks += 1
        return list(self.configs) if self.looks > self._late else []

    def push_messages(self, messages):
        return [self._push(message) for message in messages]

    def _push(self, message):
        if message.metadata.dst_node_id not in self.configs:
            return None
        number = f"message {next(self._ids)}"
        message.metadata.__dict__["_message_id"] = number
        self._waiting[number] = message
        self.sent.append(message)
        return number

    def pull_messages(self, message_ids):
        replies = [self._reply(i) for i in message_ids if i in self._waiting]
        return [reply for reply in replies if reply is not None]

    def _reply(self, number):
        message = self._waiting.pop(number)
        node = message.metadata.dst_node_id
        made = self.fault(self.configs[node].get("name"), next(self._numbers[node]))
        if isinstance(made, str):
            return None
        if isinstance(made, Error):
            reply = Message(made, reply_to=message)
            reply.metadata.__dict__["_src_node_id"] = 1  # as Flower does for lost nodes
            return reply
        if isinstance(made, RecordDict):
            return Message(made, reply_to=message)
        return self.app(message, self.contexts[node])


@contextmanager
def in_a_run():
    """Let messages be made, as inside of a Flower run."""
    identity = {"_run_id": 1, "_node_id": 1, "_task_id": 1}
    with patch.multiple(TaskIdentity, **identity):
        yield

"""A ClientApp of one's own, as a user would write it; a test can hold it up while it answers."""

import time
from pathlib import Path

from flwr.clientapp import ClientApp

import fedps
import fedps.flower
from fedps.client.policy_file import read_policy
from tests.conformance import matched, scenario

app = ClientApp()


@app.query("fedps")
def preprocessing(message, context):
    if "data" not in context.node_config:
        return _simulated(message, context)
    node = context.node_config
    if context.run_config["split"] == "columns":
        own = matched.answer_options(Path(context.run_config["steps"]), str(node["name"]))
        return fedps.flower.answer(message, context, **own)
    _be_held(Path(node["data"]))
    policy = read_policy(node["policy"])
    return fedps.flower.answer(message, context, node["data"], policy, ledger=node["ledger"])


def _simulated(message, context):
    """Answer for a simulated node: the tables are in the folder of steps, by number."""
    name = f"client {context.node_config['partition-id']:03d}"
    table = Path(context.run_config["steps"], f"{name}.parquet")
    policy = fedps.Policy(**scenario.POLICIES["oslo"])
    ledger = table.with_suffix(".jsonl")
    return fedps.flower.answer(message, context, table, policy, name=name, ledger=ledger)


def _be_held(data):
    """Wait as long as there is a file that says so."""
    hold = data.with_suffix(".hold")
    if hold.exists():
        data.with_suffix(".held").touch()
        while hold.exists():
            time.sleep(0.05)

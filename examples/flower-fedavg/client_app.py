"""The client: answers FedPS about its rows, then trains and tests a model on what they become."""

from __future__ import annotations

from typing import Any

import numpy as np
import skops.io
from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from task import ISLANDS, LABEL, model, rows

import fedps
import fedps.flower

app = ClientApp()
# All that a fitted pipeline of scikit-learn's own parts holds besides what skops knows to be safe.
TRUSTED = ["numpy.dtype"]


@app.query("fedps")
def answer(message: Message, context: Context) -> Message:
    """Answer what the preprocessing needs to know of the rows to train with."""
    train, _ = rows(context.node_config)
    name = context.node_config.get("name", ISLANDS[int(context.node_config.get("partition-id", 0))])
    # Penguins have no secrets, and the smallest island few rows. A policy for people limits what all fits
    # together may tell (max_share, budget), and adds it up in a file: answer(..., ledger="island.jsonl").
    policy = fedps.Policy(min_rows=10, max_share=1.0, budget=None)
    return fedps.flower.answer(message, context, train, policy, target=LABEL, name=name)


@app.train()
def train(message: Message, context: Context) -> Message:
    """Train the model on this node's preprocessed rows."""
    own, _ = rows(context.node_config)
    X, y = _preprocessed(message, own)
    coef, intercept = message.content["arrays"].to_numpy_ndarrays()
    fitted = model().fit(X, y, coef_init=coef, intercept_init=intercept)
    arrays = ArrayRecord([fitted.coef_, fitted.intercept_])
    return _reply(message, {"arrays": arrays}, {"num-examples": len(y)})


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    """Test the model on this node's preprocessed rows."""
    _, own = rows(context.node_config)
    X, y = _preprocessed(message, own)
    coef, intercept = message.content["arrays"].to_numpy_ndarrays()
    right = ((X @ coef[0] + intercept[0] > 0) == y).mean()
    return _reply(message, {}, {"num-examples": len(y), "accuracy": float(right)})


def _preprocessed(message: Message, own: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return rows as the fitted preprocessing makes them, and their labels.

    It comes with the message as a skops file, which runs no code when it is read.
    """
    packed = message.content["config"]["preprocessing"]
    fitted = skops.io.loads(packed, trusted=TRUSTED)
    return fitted.transform(own), (own[LABEL] == "female").to_numpy()


def _reply(message: Message, content: dict[str, Any], metrics: dict[str, float]) -> Message:
    return Message(RecordDict({**content, "metrics": MetricRecord(metrics)}), reply_to=message)

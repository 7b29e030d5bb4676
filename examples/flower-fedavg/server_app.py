"""The server: federated preprocessing by FedPS, then Flower's own FedAvg, in one run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import skops.io
from flwr.app import ArrayRecord, ConfigRecord, Context
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg
from task import preprocessing

import fedps.flower

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Fit the preprocessing, train on what it makes of the clients' rows, save both."""
    clients = int(context.run_config["clients"])
    federation = fedps.flower.Federation(grid, clients=clients)
    fitted = federation.fit(preprocessing())
    print(federation.run)  # what it cost, and what left each client

    width = len(fitted.get_feature_names_out())
    packed = skops.io.dumps(fitted)
    strategy = FedAvg(
        min_train_nodes=clients, min_evaluate_nodes=clients, min_available_nodes=clients
    )
    result = strategy.start(
        grid=grid,
        initial_arrays=ArrayRecord([np.zeros((1, width)), np.zeros(1)]),
        num_rounds=int(context.run_config["rounds"]),
        train_config=ConfigRecord({"preprocessing": packed}),
        evaluate_config=ConfigRecord({"preprocessing": packed}),
    )
    accuracy = {r: m["accuracy"] for r, m in result.evaluate_metrics_clientapp.items()}
    print("accuracy on the clients' own test rows, by round:", accuracy)
    if context.run_config["out"]:
        out = Path(str(context.run_config["out"]))
        out.joinpath("preprocessing.skops").write_bytes(packed)
        coef, intercept = result.arrays.to_numpy_ndarrays()
        np.savez(out / "model.npz", coef=coef, intercept=intercept)
        out.joinpath("accuracy.json").write_text(json.dumps(accuracy))

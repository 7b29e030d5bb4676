"""A ServerApp that lives on: fits what the next file of a folder says, and writes what came of it."""

import json
import time
from dataclasses import asdict
from functools import partial
from itertools import count
from pathlib import Path

from flwr.serverapp import ServerApp
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import StandardScaler

import fedps
import fedps.flower
from fedps.files import save_fitted
from tests.conformance import columns, matched, scenario

app = ServerApp()


def scaled():
    """Return what takes one round."""
    return ColumnTransformer([("scaled", StandardScaler(), ["bmi", "visits"])])


ESTIMATORS = {
    "scenario": scenario.pipeline,
    "refused": scenario.refused,
    "failing": scenario.failing,
    "scaled": scaled,
}


@app.main()
def main(grid, context):
    folder = Path(context.run_config["steps"])
    for number in count(int(context.run_config["first"])):
        step = folder / f"{number}.json"
        while not step.exists():
            time.sleep(0.05)
        asked = json.loads(step.read_text())
        if not asked:
            return
        _write(folder / f"{number}.result", _fit(grid, folder / f"{number}.skops", **asked))


def _fit(grid, path, fit, clients=3, checkpoint=None, settled=False, **options):
    """Return what came of a fit, in plain values. ``settled``: no dead node is listed any more."""
    while settled and len(list(grid.get_node_ids())) > clients:
        time.sleep(0.2)
    started = time.monotonic()
    federation = None
    try:
        make = partial(fedps.flower.Federation, grid, clients=clients, **options)
        if fit == "columns":
            return columns.story(make(**columns.HOW), path.parent)
        if fit == "matched":
            return matched.story(make, path.parent)
        federation = make()
        save_fitted(federation.fit(ESTIMATORS[fit](), checkpoint=checkpoint), path)
    except fedps.FedPSError as error:
        told = {"kind": type(error).__name__, "text": str(error), "round": error.round}
        told["clients"] = list(error.clients)
    else:
        told = asdict(federation.run)
    return {**told, "took": time.monotonic() - started}


def _write(path, result):
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(result))
    beside.rename(path)

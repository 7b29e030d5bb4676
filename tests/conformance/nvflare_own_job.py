"""A job of one's own, as docs/nvflare.md shows it: run as a script, in the simulator.

``python nvflare_own_job.py FOLDER``; the folder has the clients' tables and gets the outcomes.
"""

import json
import sys
from functools import partial
from pathlib import Path

from nvflare.collab import CollabRecipe, collab
from nvflare.recipe.sim_env import SimEnv

import fedps
import fedps.nvflare
from fedps.files import save_fitted
from tests.conformance import columns, matched
from tests.conformance.scenario import CLIENTS, POLICIES, failing, outcome, pipeline, refused


class Site:
    def __init__(self, folder):
        self.folder = folder

    @collab.publish
    def fedps_answer(self, message):
        name = collab.site_name
        if Path(self.folder, columns.HERE).exists():  # the sites own columns now
            return fedps.nvflare.answer(message, **matched.answer_options(Path(self.folder), name))
        table = f"{self.folder}/{name}.parquet"
        policy = fedps.Policy(**POLICIES[name])
        return fedps.nvflare.answer(message, table, policy, ledger=f"{table}.jsonl")


class Server:
    def __init__(self, folder):
        self.folder = folder

    @collab.main
    def run(self):
        folder = Path(self.folder)
        found = outcome(fedps.nvflare.Federation(clients=3, timeout=20.0), pipeline())
        save_fitted(found.fitted, folder / "own.skops")
        costs = {"rounds": found.rounds, "up": found.bytes_up, "down": found.bytes_down}
        said = {"costs": costs}
        for estimator in (refused(), failing()):
            try:
                fedps.nvflare.Federation(clients=CLIENTS, timeout=20.0).fit(estimator)
            except fedps.ClientError as error:
                said[type(estimator.transformers[0][1]).__name__] = str(error)
        for clients in (2, 4, ("bergen", "oslo", "rome", "turku")):
            try:
                fedps.nvflare.Federation(clients=clients, timeout=20.0).fit(refused())
            except fedps.FedPSError as error:
                said[f"clients={clients}"] = f"{type(error).__name__}: {error}"
        (folder / columns.HERE).touch()
        owners = partial(fedps.nvflare.Federation, clients=3, timeout=20.0)
        said["columns"] = columns.story(owners(**columns.HOW), folder)
        said["matched"] = matched.story(owners, folder)
        Path(folder, "own.json").write_text(json.dumps(said), "utf-8")


if __name__ == "__main__":
    where = sys.argv[1]
    recipe = CollabRecipe("own", Server(where), Site(where), min_clients=len(CLIENTS))
    recipe.execute(SimEnv(clients=list(CLIENTS), workspace_root=f"{where}/workspace"))

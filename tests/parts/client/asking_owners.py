"""Clients whose owners consent, reached by a transport that trusts nobody, as an engine does."""

import numpy as np
import pandas as pd

import fedps
from fedps.client.requests.request_folder import RequestFolder
from fedps.engines.client_answer import open_client
from fedps.protocol.codec import encode
from fedps.protocol.messages import Request, Round

POLICY = fedps.Policy(consent="owner", min_rows=5, deny=["name"])


class Direct:
    """Hands messages to clients that are opened anew for each fit, as in a process of their own."""

    def __init__(self, responders):
        self.responders = responders

    def clients(self):
        return tuple(self.responders)

    def exchange(self, messages):
        for name, message in messages.items():
            yield name, self.responders[name].answer(message)


def table(rows, seed=0):
    rng = np.random.default_rng(seed)
    found = pd.DataFrame(
        {
            "age": rng.normal(50, 9, rows),
            "chol": rng.normal(200, 30, rows),
            "pain": rng.choice(["none", "typical"], rows),
            "name": [f"J. Smith {i}" for i in range(rows)],
        }
    )
    found.loc[::7, "age"] = np.nan
    return found


TABLES = {"oslo": table(30, 1), "bergen": table(20, 2)}


def opened(folder, names=("oslo", "bergen"), policy=POLICY, peer="Flower run 7"):
    return {
        name: open_client(name, TABLES[name], policy, folder / f"{name}.jsonl", peer)
        for name in names
    }


def federation(folder, **options):
    return fedps.Federation(Direct(opened(folder)), **options)


def requests_of(folder, name="oslo"):
    return RequestFolder(folder / f"{name}.jsonl")


def decide(folder, status, *names):
    """Decide about everything that is kept at some clients."""
    for name in names or ("oslo", "bergen"):
        here = requests_of(folder, name)
        for one in list(here.all()):
            here.decide(one.digest, status)


def first_round(pipeline, **options):
    return encode(Round(1, (), (), request=Request(pipeline, **options)))

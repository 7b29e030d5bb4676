"""Mutated messages in both directions. Run by itself: it measures its own memory.

``python -m tests.protocol.fuzz Round 20000`` prints what came of 20,000 mutated rounds.
"""

from __future__ import annotations

import json
import logging
import random
import signal
import sys
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from fedps.assembly import freeze
from fedps.client import Policy, Responder, open_table
from fedps.errors import FedPSError
from fedps.plans import plan_for
from fedps.protocol.codec import decode, encode
from fedps.protocol.coordinator import Coordinator, StartAgain
from fedps.protocol.limits import MAX_MESSAGE
from fedps.protocol.messages import Reply
from fedps.protocol.plan import Pooled, View
from tests.protocol.mutations import mutated
from tests.protocol.wire import memory, reset_peak

SECONDS_FOR_ONE = 10
CLIENTS = ("oslo", "bergen", "turku")


def table(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(50, 9, size=(rows, 2)).round(1)
    numbers[0, 1] = np.nan
    words = rng.choice(["low", "mid", "höh"], size=rows)
    return pd.DataFrame({"age": numbers[:, 0], "bmi": numbers[:, 1], "risk": words})


TABLES = {client: table(12, seed) for seed, client in enumerate(CLIENTS)}
NUMBERS = ["age", "bmi"]


def on(step: Any, columns: Any) -> ColumnTransformer:
    return ColumnTransformer([("only", step, columns)])


ESTIMATORS = [
    on(StandardScaler(), NUMBERS),
    on(MinMaxScaler(), [0, 1]),
    on(MaxAbsScaler(), slice("age", "bmi")),
    on(OneHotEncoder(min_frequency=2), ["risk"]),
    on(OrdinalEncoder(), make_column_selector("ri")),
    on(OneHotEncoder(categories=[["höh", "low", "mid"]]), ["risk"]),
    on(SimpleImputer(strategy="most_frequent", add_indicator=True), NUMBERS),
    on(make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
    on(make_pipeline(SimpleImputer(), FunctionTransformer(np.log1p), MinMaxScaler()), NUMBERS),
    on(make_pipeline(OrdinalEncoder(), StandardScaler()), ["risk"]),
    on(make_pipeline(SimpleImputer(), Normalizer()), NUMBERS),
    LabelEncoder(),
]


class Talk:
    """One honest fit, up to some round: what was said, and what to say next."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.rounds: list[bytes] = []
        self.replies: list[dict[str, bytes]] = []
        responders = all_responders()
        coordinator = self.coordinator()
        try:
            while (round_ := coordinator.next_round()) is not None:
                self.rounds.append(encode(round_))
                self.replies.append(
                    {name: responder.answer(self.rounds[-1]) for name, responder in responders}
                )
                self.hear(coordinator, self.replies[-1])
        except StartAgain:
            pass

    def coordinator(self) -> Coordinator[Any]:
        pooled = Pooled(freeze=freeze)
        return Coordinator(plan_for(self.estimator, View(pooled)), CLIENTS, pooled)

    def hear(self, coordinator: Coordinator[Any], replies: dict[str, bytes]) -> None:
        for name, data in replies.items():
            coordinator.receive(decode(data, Reply, f"client {name!r}"))


def all_responders() -> list[tuple[str, Responder]]:
    return [(name, new_responder(name)) for name in CLIENTS]


def new_responder(name: str) -> Responder:
    frame = TABLES[name]
    return Responder(name, open_table((frame, frame["risk"])), Policy.open())


# The two directions -------------------------------------------------------------------------------


class Rounds:
    """Mutated rounds to a responder that has heard the rounds before."""

    def __init__(self, talks: list[Talk]) -> None:
        self.cases = [(talk, i) for talk in talks for i in range(len(talk.rounds))]
        self.others = [data for talk in talks for data in talk.rounds]
        self.responder = new_responder("oslo")

    def try_one(self, rng: random.Random) -> str:
        talk, number = rng.choice(self.cases)
        data = mutated(talk.rounds[number], rng, self.others)
        self.responder._number = number
        try:
            reply = decode(self.responder.answer(data), Reply, "client 'oslo'")
        except FedPSError as error:
            return type(error).__name__
        return "answered" if reply.problem is None else type(reply.problem).__name__


class Replies:
    """Mutated replies to a coordinator that has heard those before."""

    def __init__(self, talks: list[Talk]) -> None:
        self.cases = [(talk, i) for talk in talks for i in range(len(talk.rounds))]
        self.others = [data for talk in talks for said in talk.replies for data in said.values()]

    def try_one(self, rng: random.Random) -> str:
        talk, number = rng.choice(self.cases)
        coordinator = talk.coordinator()
        for earlier in talk.replies[:number]:
            coordinator.next_round()
            talk.hear(coordinator, earlier)
        coordinator.next_round()
        replies = dict(talk.replies[number])
        name = rng.choice(CLIENTS)
        replies[name] = mutated(replies[name], rng, self.others)
        try:
            talk.hear(coordinator, replies)
        except FedPSError as error:
            return type(error).__name__
        except StartAgain:
            return "start again"
        return "accepted"


def stuck(number: int, frame: Any) -> None:
    raise TimeoutError


def main() -> None:
    kind, count = sys.argv[1], int(sys.argv[2])
    warnings.simplefilter("error")
    logging.getLogger("fedps.client").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGALRM, stuck)
    talks = [Talk(estimator) for estimator in ESTIMATORS]
    direction = {"Round": Rounds, "Reply": Replies}[kind](talks)
    found: Counter[str] = Counter()
    reset_peak()
    before, started = memory("VmRSS"), time.perf_counter()
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0  # to look further by hand
    for seed in range(first, first + count):
        signal.setitimer(signal.ITIMER_REAL, SECONDS_FOR_ONE)
        try:
            found[direction.try_one(random.Random(seed))] += 1
        except BaseException as error:
            print(f"seed {seed}: {type(error).__name__}", file=sys.stderr)  # noqa: T201
            raise
        signal.setitimer(signal.ITIMER_REAL, 0)
    peak = memory("VmHWM") - before
    seconds = time.perf_counter() - started
    result = {"found": found, "peak": peak, "seconds": seconds, "cap": 4 * MAX_MESSAGE}
    print(json.dumps(result))  # noqa: T201


if __name__ == "__main__":
    main()

"""Mutated messages in both directions. Run by itself: it measures its own memory.

``python -m tests.scripts.fuzz Round 20000`` prints what came of 20,000 mutated rounds.
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
from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from msgspec import structs
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from fedps.assembly import freeze
from fedps.client import Policy, Responder, open_table
from fedps.errors import FedPSError
from fedps.federation.learning import chosen_columns
from fedps.federation.looks.look import Look
from fedps.federation.looks.look_pipeline import look_pipeline
from fedps.plans import plan_for
from fedps.plans.looks.look import look_plan
from fedps.protocol.codec import decode, encode
from fedps.protocol.coordinator import Coordinator, StartAgain
from fedps.protocol.limits import MAX_MESSAGE
from fedps.protocol.messages import PerStand, Reply, Request, mark
from fedps.protocol.plan import Plan, View
from fedps.protocol.pooled import Options, Pooled
from fedps.protocol.schemas import Columns
from fedps.statistics import KLL, REQ, FrequentItems
from tests.scripts.asking import request_of
from tests.scripts.fuzz_columns import Owners, owners
from tests.scripts.mutations import mutated
from tests.scripts.wire import memory, reset_peak

SECONDS_FOR_ONE = 10  # of the processor, so that it does not matter what else it does
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


class Case(NamedTuple):
    """An estimator, how and to what target it is fitted, and what the clients will reveal.

    ``mixed``: one client has its columns in another order, which the server knows.
    """

    estimator: Any
    options: Options = Options()
    policy: Policy = Policy.open()
    target: str = "risk"
    mixed: bool = False
    make_plan: Callable[[Any, View], Plan[Any]] = plan_for

    def responder(self, name: str) -> Responder:
        """Return a client."""
        frame = TABLES[name]
        shown = frame[frame.columns[::-1]] if self.mixed and name == CLIENTS[1] else frame
        return Responder(name, open_table((shown, frame[self.target])), self.policy)

    @property
    def request(self) -> Request:
        """What the clients hear first; made once, as it is the same for all mutations."""
        if id(self.estimator) not in REQUESTS:
            asked = self.options
            REQUESTS[id(self.estimator)] = request_of(
                self.estimator,
                outputs=asked.outputs,
                quantiles=asked.quantiles,
                frequent=asked.frequent,
            )
        return REQUESTS[id(self.estimator)]

    def coordinator(self) -> Coordinator[Any]:
        """Return what asks the clients."""
        pooled = Pooled(freeze=freeze, options=self.options)
        view = View(pooled, used=self.options.outputs)
        columns = Columns(self.request.pipeline, chosen)
        if self.mixed:
            columns.learn_tables({n: (self.responder(n).table.schema(),) for n in CLIENTS})
        plan = self.make_plan(self.estimator, view)
        return Coordinator(plan, CLIENTS, pooled, request=self.request, columns=columns)


REQUESTS: dict[int, Request] = {}
CHOSEN: dict[Any, list[int]] = {}


def chosen(schema: Any, parent: Any, transformer: Any, index: int) -> list[int]:
    """Return which columns a branch takes; found out once, as it is the same for all mutations."""
    key = schema, tuple(parent), id(transformer), index
    if key not in CHOSEN:
        CHOSEN[key] = chosen_columns(schema, parent, transformer, index)
    return CHOSEN[key]


# Nobody shows a table of values: quantiles are found by intervals or slices, k-means by steps.
FREELY = {"min_rows": 0, "min_count": 0, "budget": None}
AJAR = Policy(max_share=0.3, **FREELY)
SHUT = Policy(max_share=0.2, **FREELY)
CLOSED = Policy(max_share=0.0, **FREELY)
THIN = Policy(max_share=0.9, **FREELY)  # not the one row without a bmi
KLL_8, REQ_4 = Options(quantiles=KLL(k=8, seed=1)), Options(quantiles=REQ(k=4, seed=1))
ITEMS, OUTPUTS = Options(frequent=FrequentItems(k=2)), Options(outputs=True)
KMEANS = KBinsDiscretizer(3, strategy="kmeans")
DRAWS = KBinsDiscretizer(3, strategy="uniform", subsample=20, random_state=0)
AGE = ["age"]

CASES = [
    Case(on(StandardScaler(), NUMBERS)),
    Case(on(MinMaxScaler(), [0, 1])),
    Case(on(MaxAbsScaler(), slice("age", "bmi"))),
    Case(on(OneHotEncoder(min_frequency=2), ["risk"])),
    Case(on(OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist"), ["risk"]), ITEMS),
    Case(on(OrdinalEncoder(), make_column_selector("ri"))),
    Case(on(OneHotEncoder(categories=[["höh", "low", "mid"]]), ["risk"])),
    Case(on(SimpleImputer(strategy="most_frequent", add_indicator=True), NUMBERS)),
    Case(on(make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS)),
    Case(
        on(make_pipeline(SimpleImputer(), FunctionTransformer(np.log1p), MinMaxScaler()), NUMBERS)
    ),
    Case(on(make_pipeline(OrdinalEncoder(), StandardScaler()), ["risk"])),
    Case(on(make_pipeline(SimpleImputer(), Normalizer()), NUMBERS)),
    Case(LabelEncoder()),
    Case(on(RobustScaler(), NUMBERS)),
    Case(on(RobustScaler(), NUMBERS), policy=SHUT),
    Case(on(RobustScaler(), NUMBERS), policy=CLOSED),
    Case(on(RobustScaler(), NUMBERS), KLL_8),
    Case(on(SplineTransformer(knots="quantile"), AGE), REQ_4),
    Case(on(QuantileTransformer(n_quantiles=5, subsample=20, random_state=0), NUMBERS)),
    Case(on(DRAWS, AGE)),
    Case(on(KMEANS, AGE)),
    Case(on(KMEANS, AGE), policy=AJAR),
    Case(on(KBinsDiscretizer(12, strategy="kmeans"), AGE), policy=AJAR),  # empty clusters
    Case(on(MissingIndicator(), NUMBERS)),
    Case(on(SplineTransformer(knots=[[0.0], [50.0], [99.0]]), AGE)),
    Case(
        make_pipeline(
            ColumnTransformer([("a", OneHotEncoder(), ["risk"]), ("b", MinMaxScaler(), AGE)]),
            MaxAbsScaler(),
        )
    ),
    Case(on(PowerTransformer("box-cox"), NUMBERS)),
    Case(on(PowerTransformer(), NUMBERS), policy=AJAR),
    Case(on(TargetEncoder(), ["risk"])),
    Case(on(TargetEncoder(categories=[["low", "mid"]]), ["risk"])),
    Case(on(TargetEncoder(), ["risk"]), OUTPUTS),
    Case(on(make_pipeline(TargetEncoder(), RobustScaler()), ["risk"])),
    Case(make_pipeline(on(SimpleImputer(), NUMBERS), BayesianRidge()), target="age"),
    Case(on(make_pipeline(SimpleImputer(), KMeans(3, random_state=0, max_iter=2)), NUMBERS)),
    Case(on(KMeans(2, init=[[50.0], [1e6]], max_iter=2), AGE)),
    Case(on(KNNImputer(n_neighbors=2), NUMBERS), OUTPUTS),
    Case(make_pipeline(on(SimpleImputer(), NUMBERS), KNeighborsRegressor(2)), target="age"),
    Case(on(IterativeImputer(min_value=0, max_iter=2), NUMBERS)),
    Case(on(make_pipeline(SimpleImputer(), PowerTransformer()), [0, 1]), mixed=True),
    Case(on(make_pipeline(IterativeImputer(max_iter=2), MinMaxScaler()), NUMBERS), policy=THIN),
    Case(look_pipeline(Look.describe()), make_plan=look_plan),
    Case(look_pipeline(Look.describe()), policy=SHUT, make_plan=look_plan),
    Case(look_pipeline(Look.crosstab("risk", "age")), make_plan=look_plan),
]


class Talk:
    """One honest fit, up to some round: what was said, and what to say next."""

    def __init__(self, case: Case | Owners) -> None:
        self.case = case
        self.rounds: list[dict[str, bytes]] = []
        self.replies: list[dict[str, bytes]] = []
        self.kinds: set[str] = set()  # of what is asked and told
        self.places: list[Any] = []  # what the first client knows before each round
        responders = {name: case.responder(name) for name in CLIENTS}
        coordinator = case.coordinator()
        try:
            while (round_ := coordinator.next_round()) is not None:
                self.kinds |= {type(asked.statistic).__name__ for asked in coordinator.asked}
                self.kinds |= {kind_of(tell) for tell in round_.tells}
                told = {
                    name: encode(structs.replace(own, after=self.mark_of_the_last(name)))
                    for name, own in coordinator.rounds().items()
                }
                self.rounds.append(told)
                self.places.append(known_to(responders[CLIENTS[0]]))
                self.replies.append({name: responders[name].answer(told[name]) for name in CLIENTS})
                self.hear(coordinator, self.replies[-1])
        except StartAgain:
            pass

    def mark_of_the_last(self, name: str) -> bytes:
        return mark(self.rounds[-1][name]) if self.rounds else b""

    def read(self, replies: dict[str, bytes]) -> list[Reply]:
        return [decode(data, Reply, f"client {name!r}") for name, data in replies.items()]

    def hear(self, coordinator: Coordinator[Any], replies: dict[str, bytes]) -> None:
        for reply in self.read(replies):
            coordinator.receive(reply)

    def coordinator_at(self, number: int) -> Coordinator[Any]:
        """Return one that has heard the honest replies until some round, and asked what it asks there."""
        coordinator = self.case.coordinator()
        for earlier in self.replies[:number]:
            coordinator.next_round()
            self.hear(coordinator, earlier)
        coordinator.next_round()
        return coordinator


def kind_of(tell: Any) -> str:
    return type(tell.each[0] if isinstance(tell, PerStand) else tell).__name__


def known_to(responder: Responder) -> Any:
    """Return a copy of what a client knows of a fit, for a message that comes next."""
    if responder._places is None:
        return None
    places = copy(responder._places)
    for part in ("asked", "told", "_samples"):
        if part in vars(places):
            setattr(places, part, own_copy(getattr(places, part)))
    return own_copy(places)


def own_copy(thing: Any) -> Any:
    """Return a copy that has its own dicts, sets and lists."""
    found = copy(thing)
    for name, value in vars(thing).items():
        if isinstance(value, dict | set | list):
            setattr(found, name, copy(value))
    return found


# The two directions -------------------------------------------------------------------------------


class Rounds:
    """Mutated rounds to a responder that has heard the rounds before."""

    def __init__(self, talks: list[Talk]) -> None:
        self.cases = [(talk, i) for talk in talks for i in range(len(talk.rounds))]
        self.others = [data for talk in talks for told in talk.rounds for data in told.values()]

    def try_one(self, rng: random.Random) -> str:
        talk, number = rng.choice(self.cases)
        data = mutated(talk.rounds[number][CLIENTS[0]], rng, self.others)
        responder = talk.case.responder(CLIENTS[0])
        responder._places = talk.places[number]
        responder._places = known_to(responder)
        responder.heard = tuple(told[CLIENTS[0]] for told in talk.rounds[:number])
        try:
            reply = decode(responder.answer(data), Reply, "client 'oslo'")
        except FedPSError as error:
            return type(error).__name__
        if reply.problem is None:
            return "answered"
        return f"{type(reply.problem).__name__}: {reply.problem.rule}"


class Replies:
    """Mutated replies to a coordinator that has heard those before."""

    def __init__(self, talks: list[Talk]) -> None:
        self.cases = [(talk, i) for talk in talks for i in range(len(talk.rounds))]
        self.others = [data for talk in talks for said in talk.replies for data in said.values()]
        self.unheard: dict[int, Coordinator[Any]] = {}  # by case: they have heard no mutated reply

    def try_one(self, rng: random.Random) -> str:
        case = rng.randrange(len(self.cases))
        talk, number = self.cases[case]
        coordinator = self.unheard.pop(case, None) or talk.coordinator_at(number)
        replies = dict(talk.replies[number])
        name = rng.choice(CLIENTS)
        replies[name] = mutated(replies[name], rng, self.others)
        try:
            read = talk.read(replies)
        except FedPSError as error:
            self.unheard[case] = coordinator  # most end here, and to talk up to here takes long
            return type(error).__name__
        try:
            for reply in read:
                coordinator.receive(reply)
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
    # what scikit-learn says of a mutated number of labels is no fault
    warnings.filterwarnings("ignore", message="The least populated class in y")
    warnings.filterwarnings("ignore", message=".*Early stopping criterion not reached")
    logging.getLogger("fedps.client").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGPROF, stuck)
    talks = [Talk(case) for case in (*CASES, *owners(CLIENTS))]
    direction = {"Round": Rounds, "Reply": Replies}[kind](talks)
    found: Counter[str] = Counter()
    reset_peak()
    before, started = memory("VmRSS"), time.perf_counter()
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0  # to look further by hand
    for seed in range(first, first + count):
        signal.setitimer(signal.ITIMER_PROF, SECONDS_FOR_ONE)
        try:
            found[direction.try_one(random.Random(seed))] += 1
        except BaseException as error:
            print(f"seed {seed}: {type(error).__name__}", file=sys.stderr)  # noqa: T201
            raise
        signal.setitimer(signal.ITIMER_PROF, 0)
    peak = memory("VmHWM") - before
    seconds = time.perf_counter() - started
    result = {"found": found, "peak": peak, "seconds": seconds, "cap": 4 * MAX_MESSAGE}
    result["kinds"] = sorted({kind for talk in talks for kind in talk.kinds})
    print(json.dumps(result))  # noqa: T201


if __name__ == "__main__":
    main()

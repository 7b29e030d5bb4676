"""The thirteen attacks of consent.md, each as a function of a scene."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from fedps.client import Ledger, Responder, open_table
from fedps.learned import Function
from fedps.questions import SAMPLE
from fedps.statistics import KLL, Missing, Moments, Positive, Spread, Within
from tests.attacks.hostile import NUMBERS, ROWS, is_no
from tests.attacks.readings import (
    CLIENTS,
    Read,
    Scene,
    frozen_one_hot,
    moved_past,
    multiplied,
    on,
    sums_of,
)
from tests.scripts.asking import Conversation, by_columns, described, in_order, request_of


def own_memory(scene: Scene, arguments: dict[str, Any]) -> Read:
    """Attacks 1 and 2: a function's arguments choose cells, or show memory."""
    step = described("FunctionTransformer", func=Function("numpy.positive"), kw_args=arguments)
    scaler = request_of(StandardScaler()).pipeline
    talk = scene.talk(by_columns((in_order("Pipeline", step, scaler), NUMBERS)))
    problem = talk.say(talk.question(Moments(), (0, 1)))
    if problem is not None:
        return Read()
    answer = talk.answer(Moments())
    return Read((answer.pivot * answer.count + answer.deviation).ravel())


def every_cell(scene: Scene) -> Read:
    shape = (ROWS, len(NUMBERS))
    return own_memory(scene, {"where": np.eye(*shape, dtype=bool), "out": np.zeros(shape)})


def old_memory(scene: Scene) -> Read:
    return own_memory(scene, {"where": np.zeros((ROWS, len(NUMBERS)), dtype=bool)})


def by_intervals(scene: Scene, columns: tuple[str, ...] = ("income",), fits: int = 40) -> Read:
    """Attacks 3 and 7: narrow intervals, others in each fit, until all values are known."""
    read: list[float] = []
    for column in columns:
        ends = np.sort(scene.table[column].to_numpy())  # a server learns them as it goes
        for start in range(0, ROWS - 8, max(ROWS // fits, 1)):
            talk = scene.talk(on(RobustScaler(), column))
            spread = talk.ask(Spread(targets=3), (0,))
            pairs = np.array([ends[start : start + 6], ends[start + 1 : start + 7] - 1e-12])
            answer = talk.ask(Within((np.sort(pairs.T.ravel()).reshape(-1, 2).T,)), (0,))
            for found in (spread, answer):
                if not is_no(found):
                    read += [*found.values[0].tolist()]
                    read += [*found.bins()[0].upper.tolist()] if hasattr(found, "bins") else []
    return Read([number for number in read if np.isfinite(number)])


def by_samples(scene: Scene) -> Read:
    """Attack 4: means of very many samples are a linear system for the rows."""
    many = [
        (str(seed), KBinsDiscretizer(3, strategy="kmeans", subsample=200, random_state=seed))
        for seed in range(100)
    ]
    talk = scene.talk(on(FeatureUnion(many), *NUMBERS))
    for seed in range(100):
        talk.among((0, seed), 0, ROWS)
    asks = [talk.question(Moments(), (0, seed), SAMPLE, columns=[0]) for seed in range(100)]
    if talk.say(*asks) is not None:
        return Read()
    answers = [talk.answer(Moments(), seed) for seed in range(100)]
    told = [answer for answer in answers if not is_no(answer)]
    assert len(told) <= ROWS // max(scene.policy.min_rows, 1)
    return Read([(answer.pivot + answer.deviation / answer.count).item() for answer in told])


def by_markers(scene: Scene) -> Read:
    """Attack 5: a marker of missing cells is a guess."""
    town = SimpleImputer(missing_values="Fulda", strategy="constant", fill_value="?")
    knows = scene.fitted(on(town, "town")) is not None
    talk = scene.talk(on(MissingIndicator(missing_values="Fulda"), "town"))
    counted = talk.ask(Missing("Fulda"), (0,))
    knows |= not is_no(counted)
    cell = float(scene.table.loc[42, "income"])
    with_, without = (
        scene.talk(on(SimpleImputer(missing_values=marker), "income")) for marker in (-1.0, cell)
    )
    both = [
        talk.ask(Moments(order=1, missing=m), (0,)) for talk, m in ((with_, -1.0), (without, cell))
    ]
    if any(map(is_no, both)):
        return Read((), knows)
    sums = [(b.pivot * b.count + b.deviation).item() for b in both]
    return Read([sums[0] - sums[1]], knows)


def by_clusters(scene: Scene) -> Read:
    """Attack 6: a centre is moved past one row after the other."""
    read = moved_past(scene.victim, 100, CLIENTS)
    return Read(scene.table["weight"][:read])


def beside_values(scene: Scene) -> Read:
    """Attack 7: the label beside each value of a column, values in intervals, sketches by other seeds."""
    encoder = scene.fitted(on(TargetEncoder(target_type="continuous"), "income"), target="age")
    read = [] if encoder is None else [*encoder.transformers_[0][1].categories_[0]]
    for seed in range(20):
        sketch = KLL(k=32, seed=seed)
        talk = scene.talk(on(RobustScaler(), "weight"), quantiles=sketch)
        answer = talk.ask(sketch, (0,))
        read += [] if is_no(answer) else [*answer.items[0].tolist()]
    return Read([*read, *by_intervals(scene, ("height",)).numbers])


def by_lookup(scene: Scene) -> Read:
    """Attack 8: who is from Fulda, times what the others are asked about."""
    sums = sums_of(scene.fitted(multiplied(frozen_one_hot("Fulda"), "income", "weight")))
    return Read(sums, scene.is_of_fulda(sums))


def by_quantiles(scene: Scene) -> Read:
    """Attack 9: as many quantiles as there are rows, and the categories of a column of numbers."""
    read: list[float] = []
    for column in ("income", "weight"):
        found = scene.fitted(on(QuantileTransformer(n_quantiles=3 * ROWS), column))
        if found is not None:
            read += found.transformers_[0][1].quantiles_.ravel().tolist()
    for unknown in ("ignore", "error"):
        found = scene.fitted(on(OneHotEncoder(handle_unknown=unknown), "height"))
        if found is not None:
            read += found.transformers_[0][1].categories_[0].tolist()
    return Read(read)


def in_place(scene: Scene) -> Read:
    """Attack 10: an estimator that writes into the owner's table."""
    scaler = request_of(StandardScaler()).pipeline
    step = described("Binarizer", threshold=1e300, copy=False)
    talk = scene.talk(by_columns((in_order("Pipeline", step, scaler), NUMBERS)))
    talk.say(talk.question(Moments(), (0, 1)))
    scene.victim.check_unchanged()
    return Read()


def below(bound: float) -> Any:
    """Return a pipeline that fails unless all incomes are below a number."""
    scaler = StandardScaler().fit(pd.DataFrame({"income": [0.0, 1.0]}))
    scaler.mean_, scaler.scale_ = np.array([bound]), np.array([-1.0])
    return on(make_pipeline(FrozenEstimator(scaler), PowerTransformer("box-cox")), "income")


def by_yes_and_no(scene: Scene) -> Read:
    """Attack 11: whether a question fails, in as many fits as it takes. Each costs a number."""
    low, high, asked = 0.0, 2.0**24, 0
    while low < (guess := (low + high) / 2) < high:
        answer = scene.talk(below(guess)).ask(Positive(), (0, 1))
        if is_no(answer) and answer.rule != "not positive":
            assert answer.rule == "budget"
            break
        asked += 1
        low, high = (guess, high) if is_no(answer) else (low, guess)
    if scene.policy.budget is not None:
        spent = scene.victim.client.ledger.account().spent("income")
        assert asked == spent.numbers <= scene.policy.budget * ROWS
    return Read([low, high])


def by_weights(scene: Scene) -> Read:
    """Attack 12: the weights are a column of the client's, too."""
    talk = scene.talk(on(StandardScaler(), "age"), weight="income")
    answer = talk.ask(Moments(weight="income"), (0,))
    entry = scene.victim.client.ledger.entries[0]
    assert set(entry.columns) == {"age", "income"}
    if not is_no(answer) and scene.policy.budget is not None:
        assert {charge.column for charge in entry.charges} == {"age", "income"}
        assert all(charge.numbers >= 2 for charge in entry.charges)
    return Read()


def at_once(scene: Scene) -> Read:
    """Attack 13: six fits that begin at once, where one is allowed."""
    ledger, start, said = Ledger(), Barrier(6), []
    table = open_table(scene.table)
    pipeline = request_of(ColumnTransformer([("s", StandardScaler(), ["age"])]), clients=CLIENTS)
    policy = type(scene.policy)(max_fits=1, level=scene.policy.level)

    def fit() -> None:
        client = Responder("oslo", table, policy, ledger=ledger)
        talk = Conversation(client, pipeline)
        start.wait()
        said.append(talk.say(talk.question(Moments(), (0,))))

    threads = [Thread(target=fit) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(problem is None for problem in said) == 1
    assert {problem.rule for problem in said if problem is not None} == {"max_fits"}
    return Read()


ATTACKS: dict[int, Callable[[Scene], Read]] = {
    1: every_cell,
    2: old_memory,
    3: by_intervals,
    4: by_samples,
    5: by_markers,
    6: by_clusters,
    7: beside_values,
    8: by_lookup,
    9: by_quantiles,
    10: in_place,
    11: by_yes_and_no,
    12: by_weights,
    13: at_once,
}

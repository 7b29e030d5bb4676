"""A user who fits approved pipelines again and again, with other parameters, to collect single values."""

import warnings
from collections import defaultdict
from itertools import count

import numpy as np
import pytest
from msgspec import Struct, structs
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import fedps
from fedps.client import Ledger, Policy, Responder, open_table
from fedps.client.ledger import check_chain
from fedps.errors import ClientError
from fedps.statistics.ragged import Ragged
from fedps.transports.local import LocalTransport
from tests.attacks.hostile import ROWS, people
from tests.attacks.readings import PRESETS

READ = ("income", "weight", "height")  # whose cells are like no count
FITS = 60


def on(step, columns=READ):
    return ColumnTransformer([("only", step, list(columns))])


def mixed(numbers):
    """Return what is common: some step for numbers, categories, and the target beside them."""
    return ColumnTransformer(
        [
            ("num", make_pipeline(SimpleImputer(), numbers), list(READ)),
            ("cat", OneHotEncoder(handle_unknown="ignore"), ["town"]),
            ("te", TargetEncoder(target_type="continuous"), ["town"]),
        ]
    )


PIPELINES = [  # six, each with a parameter that the user turns
    lambda i: on(QuantileTransformer(n_quantiles=5 + 7 * i, subsample=None)),
    lambda i: on(KBinsDiscretizer(2 + i, encode="ordinal", strategy="quantile", subsample=None)),
    lambda i: on(RobustScaler(quantile_range=(1.0 + i % 45, 60.0 + i % 39))),
    lambda i: on(make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler((0, 1 + i)))),
    lambda i: mixed(PowerTransformer() if i % 2 else StandardScaler(with_std=i % 4 == 0)),
    lambda i: on(OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=20 + 10 * i)),
]


class Spied(Responder):
    """A client of which all that leaves is seen, as the server sees it."""

    def _note(self, number, answer):
        if answer.problem is None:
            numbers, texts = (
                self.seen.setdefault("numbers", set()),
                self.seen.setdefault("t", set()),
            )
            for item in flat(answer.summary):
                (texts if isinstance(item, str) else numbers).add(item)
        return super()._note(number, answer)


def flat(value):
    """Yield all numbers and texts in a summary."""
    if isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif isinstance(value, Struct):
        for item in structs.astuple(value):
            yield from flat(item)
    elif isinstance(value, tuple | list | Ragged):
        for item in value:
            yield from flat(item)
    else:
        yield value


def greedy(policy, path):
    """Return what was seen after many fits, each of the kind that showed most new values last time."""
    table = people().drop(columns="secret")
    cells = {name: set(table[name].tolist()) for name in READ}
    seen, gain, turn = {}, dict.fromkeys(range(len(PIPELINES)), np.inf), defaultdict(count)
    for fit in range(FITS):
        kind = max(gain, key=gain.get)
        client = Spied("oslo", open_table(table, target="age"), policy, ledger=Ledger(path))
        client.seen = seen
        before = len(read_cells(seen, cells))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = fedps.Federation(LocalTransport({"oslo": client}))
                made.fit(PIPELINES[kind](next(turn[kind])))
            refused = 0
        except (fedps.Refused, ClientError):
            refused = 1
        # what was refused, or showed nothing new, is tried again when the others are no better
        gain[kind] = -fit / FITS + len(read_cells(seen, cells)) - before - refused
    return table, seen


def read_cells(seen, cells):
    return {(name, c) for name in cells for c in cells[name] & seen.get("numbers", set())}


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_many_fits_read_at_most_the_budget(preset, tmp_path):
    rules = structs.asdict(Policy.preset(preset))
    policy = Policy(**{**rules, "min_clients": 1})
    path = tmp_path / "oslo.jsonl"
    table, seen = greedy(policy, path)
    for name in READ:
        share = np.isin(table[name], list(seen["numbers"])).mean()
        assert share <= policy.max_share
    assert "Fulda" not in seen["t"]
    account = Ledger(path).account()
    for name in table.columns:
        assert account.spent(name).values <= policy.max_share * ROWS
        assert account.spent(name).numbers <= policy.budget * ROWS
    assert check_chain(path) == []


@pytest.mark.slow
def test_without_rules_all_is_read(tmp_path):
    table, seen = greedy(Policy.open(), tmp_path / "oslo.jsonl")
    assert min(np.isin(table[name], list(seen["numbers"])).mean() for name in READ) > 0.9
    assert "Fulda" in seen["t"]

"""Canned replies, and a coordinator to hear them."""

from __future__ import annotations

import numpy as np
from msgspec import Raw
from sklearn.impute import MissingIndicator

from fedps.federation.learning import chosen_columns
from fedps.protocol.codec import encode_part
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Reply
from fedps.protocol.plan import View, ask
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas import Columns
from fedps.statistics import Missing, Moments, Schema
from tests.scripts.asking import request_of

CLIENTS = ("oslo", "bergen", "turku")
NAMES = ("age", "bmi")
FLOATS = ("float64",)


def schema(rows=5, names=NAMES, dtypes=FLOATS, empty=(), width=None):
    width = len(names) if width is None else width
    return Schema("pandas" if names else "numpy", names, width, dtypes, rows, empty)


def missing(*cells):
    return Missing.summary(np.array(cells, dtype=np.int64))


def moments(values):
    count = np.full((1, len(values)), 5.0)
    mean = np.array([values])
    return Moments.summary(count, mean, np.full_like(mean, 0.1), np.full_like(mean, 2.3))


def reply(client, *answers, round=1, schemas=None, problem=None):
    if schemas is None:
        schemas = (schema(),) if round == 1 else ()
    packed = tuple(Raw(encode_part(answer)) for answer in answers)
    return Reply(client, round, schemas, packed, problem)


def one_ask(statistic, branch=None):
    """Return a plan that asks once: at the place of the estimator, or inside a ColumnTransformer."""

    def plan(view):
        view = view if branch is None else view.inside(branch, by_columns=True)
        return (yield from ask(statistic, view))

    return plan


def start(plan, clients=CLIENTS, estimator=None):
    """Return a coordinator, and its first round; ``estimator`` is what the fit is about."""
    pooled = Pooled()
    request = request_of(estimator or MissingIndicator())
    columns = Columns(request.pipeline, chosen_columns)
    coordinator = Coordinator(plan(View(pooled)), clients, pooled, request=request, columns=columns)
    return coordinator, coordinator.next_round()


def after(plan, *replies, clients=CLIENTS, estimator=None):
    coordinator, _ = start(plan, clients, estimator)
    for each in replies:
        coordinator.receive(each)
    return coordinator


COUNT = one_ask(Missing())

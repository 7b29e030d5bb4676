"""Canned replies, and a coordinator to hear them."""

from __future__ import annotations

import numpy as np
from msgspec import Raw

from fedps.protocol.codec import encode_part
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Reply
from fedps.protocol.plan import Pooled, View, ask
from fedps.statistics import Missing, Moments, Schema

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


def reply(client, *answers, round=1, schemas=None, chosen=(), problem=None):
    if schemas is None:
        schemas = (schema(),) if round == 1 else ()
    packed = tuple(Raw(encode_part(answer)) for answer in answers)
    return Reply(client, round, schemas, chosen, packed, problem)


def one_ask(statistic, select=None):
    def plan(view):
        view = view if select is None else view.select(select)
        return (yield from ask(statistic, view))

    return plan


def start(plan, clients=CLIENTS):
    pooled = Pooled()
    coordinator = Coordinator(plan(View(pooled)), clients, pooled)
    return coordinator, coordinator.next_round()


def after(plan, *replies, clients=CLIENTS):
    coordinator, _ = start(plan, clients)
    for each in replies:
        coordinator.receive(each)
    return coordinator


COUNT = one_ask(Missing())

"""What an attacker makes of answers: the thirteen attacks of consent.md, and how much each of them reads.

Each attack returns numbers that it believes to be cells, and whether it says something of the one person who
is from Fulda. It is run against :class:`Scene`, a client of 300 people that some policy protects.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from msgspec import structs
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

import fedps
from fedps.client import Policy
from fedps.statistics import Moments, RowClusters
from tests.attacks.hostile import NUMBERS, Victim, is_no, people

PRESETS = ("default", "strict", "datashield")
THE_PERSON = 42  # the row of the one from Fulda
CLIENTS = 3  # as many as the strict preset wants


class Read(NamedTuple):
    """Numbers that an attacker takes for cells, and whether something came out of the one from Fulda."""

    numbers: Any = ()
    knows_fulda: bool = False


class Scene:
    """People at one client, some others elsewhere, and one policy for all."""

    def __init__(self, preset: str, level: str | None = None, **rules: Any) -> None:
        policy = Policy.preset(preset)
        level = level or policy.level
        self.policy = structs.replace(policy, level=level, deny=["secret"], **rules)
        self.table = people()
        fields = structs.asdict(self.policy)
        self.victim = Victim("in process", level, **{k: fields[k] for k in fields if k != "level"})
        others = {name: people(seed) for seed, name in ((1, "bergen"), (2, "turku"))}
        others = {k: t.replace({"town": {"Fulda": "Jena"}}) for k, t in others.items()}
        self.tables = {"oslo": self.table, **others}

    def talk(self, estimator: Any, **options: Any) -> Any:
        """Return a fit with the client alone, by a server that means harm."""
        return self.victim.talk(estimator, clients=CLIENTS, **options)

    def federation(self, **more: Any) -> fedps.Federation:
        """Return what a user of the public API has."""
        return fedps.Federation(self.tables, policy=self.policy, **more)

    def fitted(self, estimator: Any, federation: Any = None, **more: Any) -> Any:
        """Return the fitted estimator, or None if it was refused."""
        target, made = more.pop("target", None), federation
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = made or self.federation(target=target)
                return made.fit(estimator, **more)
        except (fedps.Refused, fedps.errors.ClientError):
            return None

    def share(self, numbers: Iterable[float]) -> float:
        """Return the largest share of a column's cells that are among some numbers."""
        read = np.unique(np.asarray(list(numbers), dtype=np.float64))
        cells = self.table[NUMBERS]
        return max(float(among(cells[name], read).mean()) for name in NUMBERS)

    def is_of_fulda(self, numbers: Iterable[float]) -> bool:
        """Return whether a number is a cell of the one from Fulda; ``visits`` is a small number anyway."""
        cells = self.table.loc[THE_PERSON, ["income", "weight", "height"]].to_numpy(np.float64)
        return bool(among(cells, np.asarray(list(numbers), dtype=np.float64)).any())


def among(cells: Any, numbers: Any) -> Any:
    """Return which cells are among some numbers, but for rounding."""
    cells, numbers = np.asarray(cells, dtype=np.float64), np.sort(numbers)
    if not numbers.size:
        return np.zeros(cells.shape, dtype=bool)
    at = np.searchsorted(numbers, cells)
    near = numbers[np.clip([at - 1, at], 0, numbers.size - 1)]
    return np.isclose(near, cells, rtol=1e-9, atol=1e-9).any(axis=0)


def on(step: Any, *columns: str) -> ColumnTransformer:
    """Return a step on some columns."""
    return ColumnTransformer([("only", step, list(columns))])


def frozen_one_hot(*towns: str) -> FrozenEstimator:
    """Return an encoder of towns that somebody has in mind."""
    encoder = OneHotEncoder(categories=[list(towns)], handle_unknown="ignore", sparse_output=False)
    return FrozenEstimator(encoder.fit(pd.DataFrame({"town": list(towns)})))


def multiplied(encoder: Any, *columns: str, by: str = "town", only: Any = None) -> Any:
    """Return the sums of an encoder's output times other columns; ``only`` are the products' positions."""
    both = ColumnTransformer([("by", encoder, [by]), ("with", "passthrough", list(columns))])
    steps = [both, PolynomialFeatures(2, interaction_only=True, include_bias=False)]
    if only is not None:
        steps.append(ColumnTransformer([("only", "passthrough", only)]))
    return make_pipeline(*steps, StandardScaler())


def sums_of(fitted: Any) -> Any:
    """Return the sums behind the means of a pipeline's scaler."""
    return () if fitted is None else fitted[-1].mean_ * fitted[-1].n_samples_seen_


def moved_past(victim: Victim, steps: int, clients: int = 1) -> int:
    """Return how many rows a server reads who moves a centre past one row after the other."""
    rows = victim.table[NUMBERS].to_numpy()
    mean = rows.mean(axis=0)
    means = KMeans(2, init=rows[:2], n_init=1)
    talk = victim.talk(ColumnTransformer([("only", means, NUMBERS)]), clients=clients)
    assert not is_no(talk.ask(Moments(), (0,)))
    weight = NUMBERS.index("weight")  # no two are the same
    order = np.sort(rows[:, weight] - mean[weight])
    read, before = [], None
    for cut in (order[:-1] + order[1:])[20 : 20 + steps] / 2:
        centres = np.zeros((2, len(NUMBERS)))
        centres[:, weight] = cut - 1e7, cut + 1e7  # so far away that no other column matters
        answer = talk.ask(RowClusters(centres, mean), (0,))
        if is_no(answer):
            before = None
            continue
        sums = answer.sums[0, 0]
        if before is not None:
            difference = sums - before + mean
            read.append(np.isclose(rows, difference, rtol=1e-6).all(axis=1).any())
        before = sums
    return sum(read)

"""A table of people with one who alone is from Fulda, and a server that means them harm."""

from __future__ import annotations

import shutil
import weakref
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from fedps.client import Policy, Responder, open_table
from fedps.engines.client_answer import open_client
from fedps.protocol.messages import Failure, Refusal
from tests.scripts.asking import NAME, Conversation, request_of

ROWS = 300
LEVELS = ("AGGREGATE", "SUMMARY")
NUMBERS = ["age", "income", "weight", "height", "visits"]


def people(seed: int = 0) -> pd.DataFrame:
    """Return 300 people; the 42nd alone is from Fulda."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.normal(50, 15, ROWS).round(1),
            "income": rng.lognormal(10, 1, ROWS),
            "weight": rng.normal(75, 12, ROWS),
            "height": rng.normal(170, 9, ROWS),
            "visits": rng.poisson(3, ROWS).astype(float),
            "town": rng.choice(["Berlin", "Köln", "Jena"], ROWS),
            "secret": rng.normal(size=ROWS),
        }
    )
    table.loc[42, "town"] = "Fulda"
    return table


class OneMessageEach:
    """A client of an engine that starts a process for each message: only messages are kept."""

    def __init__(self, table: Any, policy: Policy) -> None:
        ledger = Path(mkdtemp(), "ledger.jsonl")
        weakref.finalize(self, shutil.rmtree, ledger.parent, ignore_errors=True)
        self._open = lambda: open_client(NAME, table, policy, ledger, "an engine", target=None)
        self._heard: tuple[bytes, ...] = ()
        self.table = open_table(table)

    def answer(self, message: bytes) -> bytes:
        """Return the reply, by a new client."""
        responder = self._open()
        responder.remember(self._heard)
        reply = responder.answer(message)
        self._heard = responder.heard
        return reply


CLIENTS = {
    "in process": lambda table, policy: Responder(NAME, open_table(table), policy),
    "on an engine": OneMessageEach,
}


def everywhere(test: Any) -> Any:
    """Try an attack at both levels, against both kinds of client."""
    test = pytest.mark.parametrize("level", LEVELS)(test)
    return pytest.mark.parametrize("kind", CLIENTS)(test)


class Victim:
    """A client with people, and a check that nobody changed them."""

    def __init__(
        self, kind: str, level: str, table: pd.DataFrame | None = None, **rules: Any
    ) -> None:
        self.table = people() if table is None else table
        self._before = self.table.copy(deep=True)
        self.policy = Policy(level=level, **{"deny": ["secret"], **rules})
        self.client = CLIENTS[kind](self.table, self.policy)

    def talk(self, estimator: Any, **options: Any) -> Conversation:
        """Return a fit that is about to begin; the server chose what it is about."""
        if hasattr(estimator, "get_params"):
            estimator = clone(estimator)
        return Conversation(self.client, request_of(estimator, **options))

    def check_unchanged(self) -> None:
        """Check that every cell is as it was."""
        pd.testing.assert_frame_equal(self.table, self._before, check_exact=True)


def is_no(answer: Any) -> bool:
    """Whether a client gave no answer."""
    return isinstance(answer, Refusal | Failure)

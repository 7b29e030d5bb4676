"""Attack 13 in processes: six real clients that share a ledger file, begun at once, where one fit is allowed."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from fedps.client import Ledger, Policy, Responder, open_table
from fedps.statistics import Moments
from tests.at_once import at_once
from tests.scripts.asking import Conversation, request_of


def ask(ready, path):
    rows = np.random.default_rng(0).normal(size=(300, 2))
    client = Responder("oslo", open_table(rows), Policy(max_fits=1), ledger=Ledger(path))
    talk = Conversation(client, request_of(StandardScaler()))
    asked = talk.question(Moments())
    ready()
    problem = talk.say(asked)
    return "answered" if problem is None else problem.rule


@pytest.mark.slow
def test_six_clients_at_once(tmp_path):
    path = tmp_path / "ledger.jsonl"
    said = at_once(ask, *[(path,)] * 6)
    assert sorted(said) == ["answered"] + ["max_fits"] * 5
    assert Ledger(path).account().fits == 1

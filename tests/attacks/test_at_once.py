"""Attack 13 in processes: six real clients that share a ledger file, begun at once, where one fit is allowed."""

import os
import subprocess
import sys

import pytest

from fedps.client import Ledger

PROGRAM = """
import sys
import numpy as np
from sklearn.preprocessing import StandardScaler
from fedps.client import Ledger, Policy, Responder, open_table
from fedps.statistics import Moments
from tests.scripts.asking import Conversation, request_of

rows = np.random.default_rng(0).normal(size=(300, 2))
client = Responder("oslo", open_table(rows), Policy(max_fits=1), ledger=Ledger(sys.argv[1]))
talk = Conversation(client, request_of(StandardScaler()))
asked = talk.question(Moments())
print("ready", flush=True)
sys.stdin.readline()
problem = talk.say(asked)
print("answered" if problem is None else problem.rule, flush=True)
"""


@pytest.mark.slow
def test_six_clients_at_once(tmp_path):
    path = tmp_path / "ledger.jsonl"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path)],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0].strip() for process in started]
    assert sorted(said) == ["answered"] + ["max_fits"] * 5
    assert Ledger(path).account().fits == 1

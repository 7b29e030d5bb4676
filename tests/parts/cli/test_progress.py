"""Progress in a terminal: a bar over rounds and clients, and nothing of it left at the end."""

import os
import pty
import subprocess
import sys

import numpy as np

import fedps as library
from fedps.cli.progress_bars import ProgressBar, RoundBar
from fedps.report import progress

CODE = """
import sys
from fedps.report import progress
progress.PATIENCE = 0.0
from fedps.cli import main
main(sys.argv[1:])
"""


def test_in_a_terminal_there_is_a_bar(folder):
    words = "fit prep.py:pipeline --client oslo=oslo.parquet --client moss=moss.csv --out p.skops"
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words.split()],
        env=env,
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=False,
        timeout=120,
    )
    os.close(theirs)
    shown = os.read(ours, 1 << 20).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "round 2 of 2" in shown
    assert "2 of 2 clients" in shown
    assert b"\x1b" not in done.stdout


def test_elsewhere_there_is_none(capsys):
    with ProgressBar("transforming", 10, "rows") as bar:
        bar.show(5)
    rounds = RoundBar(3)
    rounds.update(1, 2)
    rounds.close()
    assert capsys.readouterr() == ("", "")


def test_a_federation_takes_what_shows_progress(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    seen = []

    class Line:
        def __init__(self, clients):
            seen.append(("made", clients))

        def update(self, number, answered):
            seen.append((number, answered))

        def close(self):
            seen.append("closed")

    from sklearn.preprocessing import StandardScaler

    library.fit(StandardScaler(), [np.array([[1.0]]), np.array([[2.0]])], progress=Line)
    assert seen == [("made", 2), (1, 1), (1, 2), "closed"]

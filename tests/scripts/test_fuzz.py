"""20,000 mutated messages of each type: nothing but the library's own errors, in little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from fedps.protocol.messages import Tell
from fedps.statistics import AnyStatistic

ROOT = Path(__file__).resolve().parents[2]
COUNT = 20_000


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Round", "Reply"])
def test_mutated_messages(kind):
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.scripts.fuzz", kind, str(COUNT)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout)
    found = result["found"]
    assert sum(found.values()) == COUNT
    # the mutations reach beyond the decoder: some are refused there, some pass all checks
    assert found["PeerError"] > COUNT / 10
    assert found.get("answered", 0) + found.get("accepted", 0) > COUNT / 100
    assert "UsageError" not in found  # a client answers, whatever a message says
    assert result["peak"] < result["cap"]
    # whatever can be asked or told takes part; Stored is of sparse tables, and but one number
    every = {kind.__name__ for kind in (*get_args(AnyStatistic), *get_args(Tell))}
    assert set(result["kinds"]) == every - {"Stored"}

"""20,000 hostile rounds: no answer that an honest plan could not have asked for, in little time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fedps.learned import places_of
from fedps.questions.families import ROW_FAMILIES
from tests.attacks.approved import PIPELINES
from tests.scripts.asking import request_of

ROOT = Path(__file__).resolve().parents[2]
MEBIBYTE = 2**20


def hostile_rounds(count: int, first: int, every: int = 1) -> dict[str, Any]:
    """Return what came of so many rounds, in a process of their own."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.attacks.hostile_rounds"]
    numbers = [str(count), str(first), str(every)]
    done = subprocess.run(
        [*command, *numbers], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def check(result: dict[str, Any], count: int) -> None:
    assert result["faults"] == []
    assert result["rounds"] >= count
    assert "Failure: error" not in {*result["found"], *result["not answered"]}
    assert result["slowest"] < 5
    assert result["peak"] < 512 * MEBIBYTE
    # hostile, but not so wild that nothing is left to be judged
    assert sum(result["answered"].values()) > result["asks"] / 10
    assert result["found"]["Refusal: consent"] > count / 10


@pytest.mark.slow
def test_hostile_rounds():
    """In one process: what honest plans ask is found out first, which takes as long as thousands of them."""
    result = hostile_rounds(20_000, 0)
    check(result, 20_000)
    # whatever honest plans ask is also answered to a hostile server, within its bounds
    assert set(result["answered"]) == set(result["asked"])


def test_some_hostile_rounds():
    check(hostile_rounds(300, 2_000_000, every=7), 300)


def test_every_estimator_takes_part():
    requests = [request_of(approved.estimator) for approved in PIPELINES]
    every = [place for request in requests for place in places_of(request.pipeline)]
    assert {place.described.estimator for place in every} == ROW_FAMILIES.keys()

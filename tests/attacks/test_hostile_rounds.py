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


def hostile_rounds(count: int, first: int, every: int = 1) -> subprocess.Popen[str]:
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.attacks.hostile_rounds"]
    numbers = [str(count), str(first), str(every)]
    return subprocess.Popen(
        [*command, *numbers],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def result_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate()
    assert process.returncode == 0, errors[-3000:]
    result: dict[str, Any] = json.loads(out)
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
    processes = [hostile_rounds(10_000, first) for first in (0, 1_000_000)]
    for result in [result_of(process) for process in processes]:
        check(result, 10_000)
        # whatever honest plans ask is also answered to a hostile server, within its bounds
        assert set(result["answered"]) == set(result["asked"])


def test_some_hostile_rounds():
    check(result_of(hostile_rounds(300, 2_000_000, every=7)), 300)


def test_every_estimator_takes_part():
    requests = [request_of(approved.estimator) for approved in PIPELINES]
    every = [place for request in requests for place in places_of(request.pipeline)]
    assert {place.described.estimator for place in every} == ROW_FAMILIES.keys()

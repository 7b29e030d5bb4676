"""What a peer can make this side allocate is bounded by four messages, whatever it sends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fedps.protocol.limits import MAX_MESSAGE
from tests.protocol.floods import ANSWERS, FLOODS, LARGE

ROOT = Path(__file__).resolve().parents[2]
MEASURED = Path("/proc/self/clear_refs").exists()


@pytest.fixture(scope="module")
def found():
    """Run all floods in a process of its own."""
    command = [sys.executable, "-m", "tests.protocol.floods"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", FLOODS)
def test_floods_are_refused(found, name):
    said, peak, _ = found[name]
    assert said.startswith("PeerError: the peer sent ")
    assert len(said) < 200
    assert not MEASURED or peak < 4 * MAX_MESSAGE


@pytest.mark.parametrize("name", LARGE)
def test_large_arrays_take_little_more_than_their_budget(found, name):
    said, peak, _ = found[name]
    assert said == "" or said.startswith("ValueError: ")
    assert not MEASURED or peak < 4 * MAX_MESSAGE


@pytest.mark.parametrize("name", ANSWERS)
def test_large_answers(found, name):
    said, peak, _ = found[name]
    assert said == "" or "unfolds to more than" in said
    assert not MEASURED or peak < 4 * MAX_MESSAGE

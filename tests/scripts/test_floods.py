"""What a peer can make this side allocate and compute is bounded, whatever it sends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fedps.protocol.limits import MAX_MESSAGE
from tests.scripts.flood_rounds import PIPELINES, QUESTIONS
from tests.scripts.floods import ANSWERS, FLOODS, LARGE

ROOT = Path(__file__).resolve().parents[2]
MEASURED = Path("/proc/self/clear_refs").exists()
SECONDS = 5  # of the processor
# what is read and asked is bounded by four messages; a table that a pipeline makes takes some more
MEMORY = {**dict.fromkeys([*FLOODS, *LARGE, *ANSWERS, *QUESTIONS], 4 * MAX_MESSAGE)}
MEMORY |= dict.fromkeys(PIPELINES, 512 * 2**20)


def flooded(*names):
    """Return what is wrong after some floods, or after all."""
    command = [sys.executable, "-m", "tests.scripts.floods", *names]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    wrong = {}
    for name, (said, peak, seconds) in found.items():
        # floods are refused; the others may be read, or refused, but only in so many words
        ours = said.startswith("PeerError: the peer sent ") and len(said) < 200
        fine = ours if name in FLOODS else said.split(":")[0] in ("", "PeerError", "ValueError")
        if not fine or seconds > SECONDS or (MEASURED and peak >= MEMORY[name]):
            wrong[name] = said, peak, seconds
    return set(found), wrong


@pytest.mark.slow
def test_floods():
    """In one test, as they are run together in a process of their own."""
    names, wrong = flooded()
    assert names == set(MEMORY)
    assert not wrong

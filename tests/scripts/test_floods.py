"""What a peer can make this side allocate is bounded by four messages, whatever it sends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fedps.protocol.limits import MAX_MESSAGE
from tests.scripts.floods import ANSWERS, FLOODS, LARGE, ROUNDS

ROOT = Path(__file__).resolve().parents[2]
MEASURED = Path("/proc/self/clear_refs").exists()


@pytest.mark.slow
def test_floods():
    """In one test, as they are run together in a process of their own."""
    command = [sys.executable, "-m", "tests.scripts.floods"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {*FLOODS, *LARGE, *ANSWERS, *ROUNDS}
    wrong = {}
    for name, (said, peak, _) in found.items():
        # floods are refused; the others may be read, or refused, but only in so many words
        ours = said.startswith("PeerError: the peer sent ") and len(said) < 200
        fine = ours if name in FLOODS else said.split(":")[0] in ("", "PeerError", "ValueError")
        if not fine or (MEASURED and peak >= 4 * MAX_MESSAGE):
            wrong[name] = said, peak
    assert not wrong

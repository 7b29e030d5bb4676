"""Owners of columns and servers in processes that are killed: nothing is lost, and nothing is written over."""

from __future__ import annotations

import subprocess
import sys

import pytest

import fedps
from fedps.client.owner.fit_folder import FitFolder
from tests.conformance import columns
from tests.conformance.scenario import bits
from tests.faults.owner_process import OneProcess
from tests.faults.owners_there import OpenedAnew, there

ROUNDS = 1  # of the fit, after the one that compares keys and before the delivery


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What the owners keep if nobody dies."""
    folder = tmp_path_factory.mktemp("whole")
    there(OpenedAnew(folder)).fit(columns.simple(), name="risk")
    return kept(folder)


def kept(folder):
    found = {name: FitFolder(columns.settings_of(folder, name).ledger) for name in columns.CLIENTS}
    return {name: bits(one.part("risk")) for name, one in found.items()}


@pytest.mark.parametrize("kill_at", [2, 2 + ROUNDS], ids=["in a round", "in the delivery"])
def test_an_owner_is_killed(tmp_path, expected, kill_at):
    checkpoint = tmp_path / "fit.checkpoint"
    with OneProcess(tmp_path, "oslo", kill_at) as transport:
        federation = there(transport)
        with pytest.raises(fedps.TransportError, match="'oslo' is gone.*no quorum") as caught:
            federation.fit(columns.simple(), name="risk", checkpoint=checkpoint)
    assert caught.value.clients == ("oslo",)
    again = there(OpenedAnew(tmp_path, settings=transport.settings))
    again.fit(columns.simple(), name="risk", checkpoint=checkpoint)
    assert kept(tmp_path) == expected


SERVER = """
import os, sys
from pathlib import Path
from tests.conformance import columns
from tests.faults.owners_there import OpenedAnew, there

class Killed(OpenedAnew):
    def exchange(self, messages):
        for reply in super().exchange(messages):
            yield reply
            if self.replies == int(sys.argv[2]):
                os.kill(os.getpid(), 9)

folder = Path(sys.argv[1])
there(Killed(folder)).fit(columns.simple(), name="risk", checkpoint=folder / "fit.checkpoint")
"""


def test_a_server_is_killed_in_the_delivery(tmp_path, expected):
    died = 3 * (1 + ROUNDS) + 2  # two owners have kept their parts, and one has not
    done = subprocess.run(
        [sys.executable, "-c", SERVER, str(tmp_path), str(died)],
        timeout=120,
        check=False,
        capture_output=True,
    )
    assert done.returncode == -9, done.stderr
    again = OpenedAnew(
        tmp_path, settings={n: columns.settings_of(tmp_path, n) for n in columns.CLIENTS}
    )
    federation = there(again)
    federation.fit(columns.simple(), name="risk", checkpoint=tmp_path / "fit.checkpoint")
    assert federation.run.resumed == ROUNDS
    assert kept(tmp_path) == expected

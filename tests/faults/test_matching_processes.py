"""Owners and servers that are killed while rows are matched, or fitted after that: the match goes on, or is made again."""

from __future__ import annotations

import pytest

import fedps
from fedps.client.owner.fit_folder import FitFolder
from tests.conformance import columns
from tests.conformance.scenario import bits
from tests.faults.faulty import ServerDies
from tests.faults.owner_process import OneProcess
from tests.faults.owners_there import OpenedAnew, there

PRIVATE = {"match": "private"}
MATCHING = (
    4 + 1 + 1
)  # messages to each owner: rounds of a match of three, its delivery, and the schemas


def kept(folder):
    found = {name: FitFolder(columns.settings_of(folder, name).ledger) for name in columns.CLIENTS}
    return {name: bits(one.part("risk")) for name, one in found.items()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What the owners keep if nobody dies: their processes live for one message, and each comes twice."""
    folder = tmp_path_factory.mktemp("whole")
    there(OpenedAnew(folder, repeated=True), **PRIVATE).fit(columns.simple(), name="risk")
    return kept(folder)


@pytest.mark.parametrize("kill_at", [1, 3, 5], ids=["first", "in a turn", "in the delivery"])
def test_an_owner_is_killed_in_a_match(tmp_path, expected, kill_at):
    lost = pytest.raises(fedps.TransportError, match="'oslo' is gone.*no quorum")
    with OneProcess(tmp_path, "oslo", kill_at) as transport, lost as caught:
        there(transport, **PRIVATE)
    assert caught.value.clients == ("oslo",)
    again = there(OpenedAnew(tmp_path, settings=transport.settings), **PRIVATE)
    again.fit(columns.simple(), name="risk")
    assert kept(tmp_path) == expected


def test_an_owner_is_killed_in_a_fit_of_matched_rows(tmp_path, expected):
    checkpoint = tmp_path / "fit.checkpoint"
    with OneProcess(tmp_path, "oslo", MATCHING + 2) as transport:
        federation = there(transport, **PRIVATE)
        with pytest.raises(fedps.TransportError, match="'oslo' is gone.*no quorum"):
            federation.fit(columns.simple(), name="risk", checkpoint=checkpoint)
    again = there(OpenedAnew(tmp_path, settings=transport.settings), **PRIVATE)
    again.fit(columns.simple(), name="risk", checkpoint=checkpoint)
    assert again.run.resumed == 1
    assert kept(tmp_path) == expected


def test_a_server_dies_in_a_fit_of_matched_rows(tmp_path, expected):
    checkpoint = tmp_path / "fit.checkpoint"
    dying = OpenedAnew(tmp_path, crash_after=3 * (MATCHING + 2) + 1)
    with pytest.raises(ServerDies):
        there(dying, **PRIVATE).fit(columns.simple(), name="risk", checkpoint=checkpoint)
    again = there(OpenedAnew(tmp_path, settings=dying.settings), **PRIVATE)
    again.fit(columns.simple(), name="risk", checkpoint=checkpoint)
    assert again.run.resumed == 2
    assert kept(tmp_path) == expected

"""Consent by the owners on NVFLARE's client, as a job has it: on a stand-in for NVFLARE."""

import pytest

pytest.importorskip("nvflare", reason="needs NVFLARE")

import fedps
from fedps.transports import nvflare
from tests.conformance import owners, scenario
from tests.conformance.nvflare_stand_in import stood_in, write_sites


def test_owners_consent(tmp_path):
    expected = scenario.in_process(tmp_path).fitted
    policies = scenario.write_policies(tmp_path)
    owners.let_owners_consent(policies)
    ledgers = write_sites(tmp_path, policies)
    with stood_in(tmp_path):
        asking = fedps.Federation(nvflare.NVFlareTransport(3, 60.0), progress=False)
        owners.tell_the_story(asking.fit, ledgers, expected, "NVFLARE job 4711")

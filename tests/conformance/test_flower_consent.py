"""Consent by the owners on a Flower grid in this process: a process's memory is not needed for it."""

import pytest

pytest.importorskip("flwr")

import fedps.flower
from fedps.flower import client_app
from tests.conformance import owners, scenario
from tests.conformance.flower_grid import InProcessGrid, in_a_run


def test_owners_consent(tmp_path):
    expected = scenario.in_process(tmp_path).fitted
    policies = scenario.write_policies(tmp_path)
    owners.let_owners_consent(policies)
    ledgers = {name: tmp_path / f"{name}.jsonl" for name in scenario.CLIENTS}
    configs = [
        {
            "name": name,
            "data": str(tmp_path / f"{name}.parquet"),
            "policy": str(policies[name]),
            "ledger": str(ledgers[name]),
        }
        for name in scenario.CLIENTS
    ]
    with in_a_run():
        grid = InProcessGrid(client_app.app, configs)
        asking = fedps.flower.Federation(grid, clients=3, timeout=60.0)
        owners.tell_the_story(asking.fit, ledgers, expected, "Flower run 1")
        checkpoint = tmp_path / "fit.checkpoint"
        with pytest.raises(fedps.Refused):
            asking.fit(scenario.pipeline(), checkpoint=checkpoint)
        (name,) = {
            kept.split()[0]
            for kept in owners.command("list", ledgers["oslo"]).splitlines()
            if " denied " in kept
        }
        owners.decide("approve", ledgers, name)
        fitted = asking.fit(scenario.pipeline(), checkpoint=checkpoint)
        assert scenario.bits(fitted) == scenario.bits(expected)


def test_a_node_without_a_ledger_cannot_be_asked(tmp_path, caplog):
    scenario.write_tables(tmp_path)
    policies = scenario.write_policies(tmp_path)
    owners.let_owners_consent(policies)
    config = {
        "name": "oslo",
        "data": str(tmp_path / "oslo.parquet"),
        "policy": str(policies["oslo"]),
    }
    with in_a_run(), caplog.at_level("CRITICAL", "fedps"):
        grid = InProcessGrid(client_app.app, [config])
        asking = fedps.flower.Federation(grid, clients=1, timeout=60.0)
        with pytest.raises(fedps.ClientError, match="could not open its table, policy or ledger"):
            asking.fit(scenario.pipeline())

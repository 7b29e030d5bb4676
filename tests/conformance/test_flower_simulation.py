"""FedPS in Flower's simulation: 30 clients, and an example that goes on to train a model."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flwr")
pytest.importorskip("ray")

import fedps
from fedps.files import load_fitted, save_fitted
from tests.conformance import scenario
from tests.conformance.flower_deployment import Deployment

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "flower-fedavg"
MANY = 30


@pytest.fixture(scope="module")
def simulation(tmp_path_factory):
    with Deployment(tmp_path_factory.mktemp("flower")) as deployment:
        deployment.start_simulation()
        yield deployment


def run(simulation, app, nodes, **config):
    simulation.run(app, "--stream", "--federation-config", f"num-supernodes={nodes}", **config)


def test_thirty_clients_conform(simulation, tmp_path):
    rows = {f"client {i:03d}": 25 + i % 7 for i in range(MANY)}
    expected = scenario.in_process(tmp_path, rows)
    (tmp_path / "1.json").write_text(json.dumps({"fit": "scenario", "clients": MANY}))
    (tmp_path / "2.json").write_text("{}")
    run(simulation, HERE / "flower_app", MANY, steps=str(tmp_path))
    assert (tmp_path / "1.result").exists(), simulation.log("cli")
    told = json.loads((tmp_path / "1.result").read_text())
    assert "kind" not in told, told
    (path,) = save_fitted(expected.fitted, tmp_path / "expected.skops")
    expected.fitted = load_fitted(path)
    costs = told["rounds"], told["bytes_up"], told["bytes_down"]
    found = scenario.Outcome(load_fitted(tmp_path / "1.skops"), *costs)
    scenario.assert_conforms(found, expected)


def test_the_example_preprocesses_and_then_trains(simulation, tmp_path, monkeypatch):
    pytest.importorskip("palmerpenguins")
    # as its README says; the processes bear the mark of the other simulation
    code = simulation.fedps("run", str(EXAMPLE), "--simulate", "3", "--out", str(tmp_path))
    assert code == 0, simulation.log("fedps")
    accuracy = list(json.loads((tmp_path / "accuracy.json").read_text()).values())
    assert len(accuracy) == 8
    assert accuracy[-1] > 0.85

    monkeypatch.syspath_prepend(str(EXAMPLE))
    import task

    islands = {name: task.rows({"partition-id": i})[0] for i, name in enumerate(task.ISLANDS)}
    here = fedps.Federation(
        islands, target=task.LABEL, policy=fedps.Policy(min_rows=10, max_share=1.0, budget=None)
    )
    (path,) = save_fitted(here.fit(task.preprocessing()), tmp_path / "here.skops")
    found = load_fitted(tmp_path / "preprocessing.skops")
    assert scenario.bits(found) == scenario.bits(load_fitted(path))
    with np.load(tmp_path / "model.npz") as model:
        assert model["coef"].shape == (1, len(found.get_feature_names_out()))

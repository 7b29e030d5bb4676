"""FedPS on a Flower deployment: a SuperLink and three SuperNodes, with TLS and node keys.

All processes are real, and started by the commands of docs/flower.md. The tests share one deployment
and go through it in order: run them in one process.
"""

import json
import os
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("flwr")

from fedps.files import load_fitted, save_fitted
from tests.conformance import columns, looks, matched, owners, scenario
from tests.conformance.flower_app.server_app import scaled
from tests.conformance.flower_deployment import Deployment, make_key
from tests.conformance.processes import PATIENCE, wait_for

pytestmark = pytest.mark.slow

APP = Path(__file__).parent / "flower_app"
PIPELINE = "from tests.conformance.scenario import pipeline as make\n\npipeline = make()\n"


class Site:
    """A deployment, and a run of the test's own app that fits what it is told to."""

    def __init__(self, deployment, folder):
        self.deployment = deployment
        self.folder = folder
        self.next = 1
        self.enough = 30.0  # seconds for a round that a node will not answer; a test measures it
        tables = scenario.write_tables(folder)
        policies = scenario.write_policies(folder)
        self.nodes = {
            name: {
                "data": tables[name],
                "policy": policies[name],
                "ledger": folder / f"{name}.jsonl",
                "key": folder / f"{name}.key",
            }
            for name in scenario.CLIENTS
        }

    def start(self, name):
        self.deployment.start_client(name, **self.nodes[name])

    def submit(self, split="rows"):
        self.deployment.run(APP, steps=str(self.folder), first=self.next, split=split)

    def ask(self, fit, **options):
        """Have something fitted, and return the number of the step."""
        number, self.next = self.next, self.next + 1
        beside = self.folder / "next.part"
        beside.write_text(json.dumps({"fit": fit, "timeout": PATIENCE, **options}))
        beside.rename(self.folder / f"{number}.json")
        return number

    def ask_to_end(self):
        """Have the run of the test's own app end."""
        (self.folder / f"{self.next}.json").write_text("{}")
        self.next += 1

    def told(self, number, rounds=3):
        """Return what came of a step, which takes some rounds."""
        path = self.folder / f"{number}.result"
        try:
            wait_for(path.exists, f"step {number}", PATIENCE + rounds * self.enough)
        except AssertionError:
            print(self.deployment.log("superlink")[-5000:])  # noqa: T201
            raise
        return json.loads(path.read_text())

    def fitted(self, number):
        return load_fitted(self.folder / f"{number}.skops")

    def answers(self, name):
        """Return how many lines a client's ledger has."""
        ledger = self.nodes[name]["ledger"]
        return len(ledger.read_text().splitlines()) if ledger.exists() else 0

    def sent(self, name):
        """Return how many answers have left a client, as its SuperNode says."""
        return self.deployment.log(name).count("Sent successfully")

    @contextmanager
    def holding(self, name):
        """Hold a client up while it answers, and wait until it does."""
        hold = self.nodes[name]["data"].with_suffix(".hold")
        held = self.nodes[name]["data"].with_suffix(".held")
        held.unlink(missing_ok=True)
        hold.touch()
        try:
            yield lambda: wait_for(held.exists, f"{name} to be held")
        finally:
            hold.unlink()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flower")
    with Deployment(folder) as deployment:
        site = Site(deployment, folder)
        deployment.start_superlink()
        deployment.register(scenario.CLIENTS)
        for name in scenario.CLIENTS:
            site.start(name)
        yield site
    assert scenario.SECRET not in "".join(
        p.read_text(errors="replace") for p in folder.glob("*.log")
    )


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What the scenario comes to in process; as it is after a way through a file."""
    found = scenario.in_process(tmp_path_factory.mktemp("here"))
    return saved(found, tmp_path_factory.mktemp("saved"))


def saved(found, folder):
    (path,) = save_fitted(found.fitted, folder / "fitted.skops")
    found.fitted = load_fitted(path)
    return found


def conforms(fitted, run, expected):
    costs = run["rounds"], run["bytes_up"], run["bytes_down"]
    scenario.assert_conforms(scenario.Outcome(fitted, *costs), expected)


def test_the_ready_made_app_conforms(site, expected):
    (site.folder / "prep.py").write_text(PIPELINE)
    made = site.deployment.fedps(
        "app", "ready", "--pipeline", "prep.py:pipeline", "--clients", "3", "--timeout", "300"
    )
    assert made == 0, site.deployment.log("fedps")
    code = site.deployment.fedps(
        "run", "ready", *site.deployment.trust, "--out", "prep.skops", "--report", "run.json"
    )
    assert code == 0, site.deployment.log("fedps")
    run = json.loads((site.folder / "run.json").read_text())
    assert run["clients"] == list(scenario.CLIENTS)
    conforms(load_fitted(site.folder / "prep.skops"), run, expected)
    assert "3 of 3 clients answered" in site.deployment.log("fedps")


def test_a_look_conforms(site, tmp_path):
    files = ("--out", "look.json", "--report", "look-run.json")
    code = site.deployment.fedps(
        "describe", *site.deployment.trust, "--clients", "3", "--timeout", "300",
        *looks.DESCRIBE_WORDS, *files,
    )  # fmt: skip
    assert code == 0, site.deployment.log("fedps")
    here = looks.here(tmp_path)
    here.fit(scenario.pipeline())  # as before: what was told then counts, here and there
    found, (rounds, up, down) = looks.described(here)
    assert (site.folder / "look.json").read_text("utf-8") == found + "\n"
    run = json.loads((site.folder / "look-run.json").read_text())
    assert (run["rounds"], run["bytes_up"], run["bytes_down"]) == (rounds, up, down)


def test_a_look_is_a_page(site):
    there = (*site.deployment.trust, "--clients", "3")
    code = site.deployment.fedps("corr", *looks.CORR_WORDS, *there, "--out", "corr.html")
    assert code == 0, site.deployment.log("fedps")
    page = (site.folder / "corr.html").read_text("utf-8")
    assert page.lower().startswith("<!doctype html>")


@pytest.fixture(scope="module")
def told_of_owners(site):
    """What came of a run in which the nodes own columns."""
    columns.settings(site.folder)
    site.submit("columns")
    steps = {story: site.ask(story) for story in ("columns", "matched")}
    site.ask_to_end()
    return {story: site.told(step, rounds=60) for story, step in steps.items()}


def test_owners_of_columns_conform(site, told_of_owners, tmp_path):
    expected = columns.here(tmp_path)
    parts = expected.pop("parts")
    assert told_of_owners["columns"] == expected
    assert columns.parts_of(site.folder) == parts


def test_owners_match_rows(site, told_of_owners, tmp_path):
    matched.check(site.folder, told_of_owners["matched"], tmp_path)


def test_a_refusal_and_an_error_are_those_in_process(site):
    site.submit()
    refused, failing = site.ask("refused"), site.ask("failing")
    told = site.told(refused)
    assert (told["kind"], told["text"]) == ("Refused", scenario.REFUSAL)
    told = site.told(failing)
    assert (told["kind"], told["text"]) == ("ClientError", scenario.ERROR)
    # a round takes about 8 seconds with three nodes on two idle cores
    site.enough = max(25.0, 3.0 * told["took"])


def test_a_pipeline_waits_for_its_owners(site, tmp_path):
    policies = {name: node["policy"] for name, node in site.nodes.items()}
    ledgers = {name: node["ledger"] for name, node in site.nodes.items()}
    options = {"checkpoint": str(site.folder / "waiting.checkpoint")}
    owners.let_owners_consent(policies)
    try:
        told = site.told(site.ask("scaled", **options))
        assert (told["kind"], told["clients"]) == ("Refused", list(scenario.CLIENTS))
        name = owners.name_in(told["text"])
        assert "Flower run " in owners.command("list", ledgers["oslo"])
        assert "bmi, visits" in owners.command("show", ledgers["oslo"], name)
        owners.decide("approve", ledgers, name)
        step = site.ask("scaled", **options)
        assert site.told(step)["rounds"] == 1
        here = scenario.in_process(tmp_path, estimator=scaled())
        assert scenario.bits(site.fitted(step)) == scenario.bits(saved(here, tmp_path).fitted)
    finally:
        owners.let_policies_consent(policies)


def test_a_killed_server_goes_on_from_its_checkpoint(site, expected):
    before = site.answers("oslo")
    options = {"checkpoint": str(site.folder / "fit.checkpoint")}
    site.ask("scenario", **options)
    wait_for(lambda: site.answers("oslo") > before, "round 1")
    with site.holding("oslo") as wait:
        wait()  # in round 2
        (server,) = site.deployment.processes("superlink", "flwr-serverapp")
        os.kill(server, signal.SIGKILL)
    site.submit()
    again = site.ask("scenario", **options)
    run = site.told(again)
    assert (run["resumed"], run["rounds"]) == (1, expected.rounds)
    assert scenario.bits(site.fitted(again)) == scenario.bits(expected.fitted)
    assert not (site.folder / "fit.checkpoint").exists()


def lost(text):
    """Tell whether a killed client was missed: by us in time, or first by Flower, after a minute."""
    return "did not answer within" in text or "SuperNode is gone" in text


def test_a_client_killed_after_a_round_is_named(site):
    before = site.sent("turku")
    step = site.ask("scenario", timeout=site.enough)
    wait_for(lambda: site.sent("turku") > before, "round 1")
    site.deployment.kill("turku")
    told = site.told(step)
    assert (told["kind"], told["clients"], told["round"]) == ("TransportError", ["turku"], 2)
    assert told["text"].startswith("client 'turku' ")
    assert lost(told["text"])
    assert told["took"] < 2 * site.enough + 60


def test_a_client_killed_before_a_round_is_named_in_time(site):
    told = site.told(site.ask("scaled", timeout=site.enough))
    assert told["kind"] == "TransportError"
    if told["round"] is None:  # Flower lists turku for a minute at most, and rounds may be slow
        assert "connected" in told["text"]
    else:
        assert (told["round"], len(told["clients"])) == (1, 1)
        assert lost(told["text"])
    assert told["took"] < site.enough + 60


def test_a_client_killed_during_a_round_is_left_out_by_a_quorum(site, tmp_path):
    with site.holding("oslo") as wait:
        step = site.ask("scaled", clients=2, quorum=1, settled=True, timeout=site.enough)
        wait()
        site.deployment.kill("oslo")
    run = site.told(step)
    (left_out,) = run["left_out"]
    assert left_out["round"] == 1
    assert lost(left_out["reason"])
    assert run["clients"] == ["bergen"]
    here = scenario.in_process(tmp_path, {"bergen": scenario.ROWS["bergen"]}, scaled())
    assert scenario.bits(site.fitted(step)) == scenario.bits(saved(here, tmp_path).fitted)


def test_an_unregistered_node_is_refused(site):
    key = make_key(site.folder / "rogue.key")
    node = site.deployment.start_client("rogue", **{**site.nodes["oslo"], "key": key})
    assert node.wait(PATIENCE) != 0
    assert "Failed to activate SuperNode" in site.deployment.log("rogue")


def test_a_plaintext_client_is_refused(site):
    site.deployment.start_client("plain", **{**site.nodes["oslo"], "key": None})
    refused = "Connection attempt failed, retrying"
    wait_for(lambda: site.deployment.log("plain").count(refused) >= 3, "attempts")
    assert "SuperNode ID" not in site.deployment.log("plain")  # which a node has once it is let in
    site.deployment.kill("plain")


def test_what_left_is_in_the_ledgers(site):
    lines = site.nodes["oslo"]["ledger"].read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    assert {entry["outcome"] for entry in entries} >= {"sent", "failed"}
    assert all(entry["peer"].startswith("Flower run ") for entry in entries)
    assert scenario.SECRET not in "".join(lines)

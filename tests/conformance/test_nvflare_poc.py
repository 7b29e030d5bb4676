"""The scenario on a real NVFLARE federation: processes of a server and three sites, mTLS, faults."""

import json
import os
import signal
import socket
import ssl
import time
from datetime import datetime

import pytest

pytest.importorskip("nvflare", reason="needs NVFLARE")

import fedps
from fedps.files import load_fitted, save_fitted
from tests.conformance import columns, matched, owners
from tests.conformance.nvflare_poc import LEAD, Deployment, provision
from tests.conformance.processes import PATIENCE, wait_for
from tests.conformance.scenario import (
    CLIENTS,
    ERROR,
    POLICIES,
    REFUSAL,
    SECRET,
    bits,
    outcome,
    write_policies,
    write_tables,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def deployment(tmp_path_factory):
    """A server and three sites, and an impostor from another authority's kits."""
    folder = tmp_path_factory.mktemp("nvflare-poc")
    with Deployment(folder, CLIENTS) as made:
        other = folder / "other"
        other.mkdir()
        kits = provision(other, ["impostor"], made.port)
        made.start_server()
        tables, policies = write_tables(folder), write_policies(folder)
        made.data = {
            name: ("--data", tables[name], "--policy", policies[name], "--ledger", f"{tables[name]}.jsonl")
            for name in CLIENTS
        }  # fmt: skip
        for name in CLIENTS:
            made.start(name, *made.data[name])
        made.start("impostor", "--data", tables["oslo"], kits=kits)
        (folder / "prep.py").write_text(
            "from tests.conformance.scenario import pipeline, refused, failing\n"
        )
        yield made


def expected(deployment, folder, clients=CLIENTS):
    """What the same fit comes to in process, as a file would give it."""
    policies = {name: fedps.Policy(**POLICIES[name]) for name in clients}
    tables = {name: deployment.folder / f"{name}.parquet" for name in clients}
    found = outcome(fedps.Federation(tables, policy=policies, progress=False))
    save_fitted(found.fitted, folder / "expected.skops")
    found.fitted = load_fitted(folder / "expected.skops")
    return found


def report(folder, wanted):
    """Demand the same bits and rounds; return the report."""
    assert bits(load_fitted(folder / "out.skops")) == bits(wanted.fitted)
    return json.loads((folder / "run.json").read_text("utf-8"))


def outputs(folder):
    return "--out", folder / "out.skops", "--report", folder / "run.json"


def test_conforms(deployment, tmp_path):
    deployment.make_job("plain", "pipeline", CLIENTS, timeout=60.0)
    code, said = deployment.run("plain", *outputs(tmp_path))
    assert code == 0, said
    wanted = expected(deployment, tmp_path)
    run = report(tmp_path, wanted)
    costs = run["rounds"], run["bytes_up"], run["bytes_down"]
    assert costs == (wanted.rounds, wanted.bytes_up, wanted.bytes_down)
    for name in CLIENTS:
        lines = (deployment.folder / f"{name}.parquet.jsonl").read_text("utf-8").splitlines()
        entries = [json.loads(line) for line in lines]
        assert {entry["round"] for entry in entries} == set(range(1, wanted.rounds + 1))
        assert all(entry["peer"].startswith("NVFLARE job ") for entry in entries)
        assert all(entry["peer"].endswith(f" of {LEAD}") for entry in entries)
    # a round takes a second at most where no other program runs
    first, last = (datetime.fromisoformat(entries[i]["time"]) for i in (0, -1))
    deployment.enough = max(12.0, (last - first).total_seconds())


@pytest.fixture(scope="module")
def told_of_owners(deployment, tmp_path_factory):
    """What came of a job in which the sites own columns."""
    columns.settings(deployment.folder)
    deployment.make_owners_job("owners", CLIENTS)
    kept = tmp_path_factory.mktemp("owners") / "kept"
    code, said = deployment.run("owners", "--keep", kept)
    assert code == 0, said
    (told,) = kept.rglob("told.json")
    return json.loads(told.read_text("utf-8"))


def test_owners_of_columns_conform(deployment, told_of_owners, tmp_path):
    expected = columns.here(tmp_path)
    parts = expected.pop("parts")
    assert told_of_owners["columns"] == expected
    assert columns.parts_of(deployment.folder) == parts


def test_owners_match_rows(deployment, told_of_owners, tmp_path):
    matched.check(deployment.folder, told_of_owners["matched"], tmp_path)


def test_refusal_and_error(deployment, tmp_path):
    wanted = {"refused": REFUSAL, "failing": ERROR}
    for name in wanted:
        deployment.make_job(name, name, CLIENTS, timeout=60.0)
    running = {name: deployment.begin(name, *outputs(tmp_path)) for name in wanted}  # side by side
    for name, process in running.items():
        said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert f"fedps: the job failed: {wanted[name]}" in said
    assert not (tmp_path / "out.skops").exists()


def test_a_pipeline_waits_for_its_owners(deployment, tmp_path):
    policies = {name: deployment.folder / f"{name}.toml" for name in CLIENTS}
    ledgers = {name: deployment.folder / f"{name}.parquet.jsonl" for name in CLIENTS}
    deployment.make_job("waiting", "pipeline", CLIENTS, timeout=60.0)
    owners.let_owners_consent(policies)
    try:
        code, said = deployment.run("waiting", *outputs(tmp_path))
        assert code == 1
        (line,) = [line for line in said.splitlines() if "the job failed" in line]
        name = owners.name_in(line)
        owners.shown(ledgers["oslo"], name, "NVFLARE job ")
        owners.decide("approve", ledgers, name)
        code, said = deployment.run("waiting", *outputs(tmp_path))
        assert code == 0, said
        report(tmp_path, expected(deployment, tmp_path))
    finally:
        owners.let_policies_consent(policies)


@pytest.mark.parametrize("known", [LEAD, "else@hospitals.org"])
def test_only_known_users_are_answered(deployment, tmp_path, known):
    deployment.make_job(f"by-{known[:4]}", "pipeline", CLIENTS, timeout=60.0)
    policy = deployment.folder / "oslo.toml"
    before = policy.read_text("utf-8")
    policy.write_text(f'{before}requesters = ["{known}"]\n', "utf-8")
    try:
        code, said = deployment.run(f"by-{known[:4]}", *outputs(tmp_path))
    finally:
        policy.write_text(before, "utf-8")
    assert code == (0 if known == LEAD else 1), said
    assert ("client 'oslo' refused to take part: the policy there (requesters)" in said) == bool(
        code
    )
    assert known == LEAD or known not in said


def test_a_job_process_is_killed_during_a_round(deployment, tmp_path):
    deployment.make_job("killed", "pipeline", CLIENTS, timeout=120.0, quorum=2)
    hold = deployment.hold("oslo", 2)
    process = deployment.begin("killed", *outputs(tmp_path))
    deployment.await_hold(hold)
    os.kill(deployment.job_process("oslo"), signal.SIGKILL)
    killed = time.monotonic()
    said, _ = process.communicate(timeout=PATIENCE)
    hold.unlink()
    assert process.returncode == 1
    assert time.monotonic() - killed < 100  # it does not wait for the timeout
    assert "NVFLARE ended the job before 'oslo' answered" in said
    assert "[round 2] NVFLARE says that the job process of site 'oslo' died." in said


def test_a_server_is_killed_and_goes_on(deployment, tmp_path):
    deployment.make_job("resumed", "pipeline", CLIENTS, timeout=60.0, checkpoint="prep.checkpoint")
    hold = deployment.hold("oslo", 2)
    process = deployment.begin("resumed", *outputs(tmp_path))
    deployment.await_hold(hold)
    deployment.kill("localhost")
    killed = time.monotonic()
    hold.unlink()
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, said
    assert "fedps: the connection to the server was lost." in said
    assert time.monotonic() - killed < 100
    deployment.start_server()
    code, said = deployment.run("resumed", *outputs(tmp_path))
    assert code == 0, said
    wanted = expected(deployment, tmp_path)
    run = report(tmp_path, wanted)
    assert (run["rounds"], run["resumed"]) == (wanted.rounds, 1)
    assert not (deployment.kits / "localhost" / "prep.checkpoint").exists()


def test_a_site_is_killed_during_a_round(deployment, tmp_path):
    deployment.make_job("lost", "pipeline", CLIENTS, timeout=deployment.enough, quorum=2)
    hold = deployment.hold("oslo", 2)
    process = deployment.begin("lost", *outputs(tmp_path))
    deployment.await_hold(hold)
    deployment.kill("oslo")
    hold.unlink()
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    survivors = ["bergen", "turku"]
    run = report(tmp_path, expected(deployment, tmp_path, survivors))
    (lost,) = run["left_out"]
    assert (lost["client"], lost["round"]) == ("oslo", 2)
    assert f"did not answer within {deployment.enough:g} seconds" in lost["reason"]
    assert run["clients"] == survivors


def test_a_site_is_killed_after_a_round(deployment, tmp_path):
    sites = ("bergen", "turku")  # oslo is dead
    deployment.make_job("after", "pipeline", sites, timeout=deployment.enough)
    ledger = deployment.folder / "turku.parquet.jsonl"
    before = ledger.stat().st_size
    hold = deployment.hold("bergen", 1)
    process = deployment.begin("after", *outputs(tmp_path))
    deployment.await_hold(hold)
    wait_for(lambda: ledger.stat().st_size > before, "turku's answer to round 1")
    time.sleep(5)  # it is on its way, which takes much less than a second if no other program runs
    deployment.kill("turku")
    hold.unlink()
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    # that it does not answer, or, if it saw its job process die before itself, that this died
    assert "the job failed: " in said
    assert "'turku'" in said
    assert "[round 2]" in said
    assert not (tmp_path / "out.skops").exists()


def test_a_missing_site_is_named(deployment):
    deployment.make_job("missing", "pipeline", [*CLIENTS, "rome"])
    code, said = deployment.run("missing", "--wait", "1")
    assert code == 1
    assert "missing: rome" in said


def test_others_are_refused(deployment):
    context = ssl.create_default_context(cafile=deployment.kits / "oslo" / "startup" / "rootCA.pem")
    with (
        socket.create_connection(("localhost", deployment.port)) as plain,
        pytest.raises(ssl.SSLError),
        context.wrap_socket(plain, server_hostname="localhost") as secured,
    ):
        secured.recv(1)  # the server wants a certificate
    with socket.create_connection(("localhost", deployment.port)) as plain:
        plain.settimeout(60)
        plain.sendall(b"no TLS at all" * 10)
        assert not _all_of(plain)
    log = (deployment.kits / "localhost" / "log.txt").read_text("utf-8")
    assert "New client oslo" in log
    assert "New client impostor" not in log


def _all_of(connection):
    """Return what a server says that is not an alert of TLS, until it hangs up."""
    try:
        found = connection.recv(100)
    except ConnectionResetError:
        return b""
    return b"" if found[:1] == b"\x15" else found


def test_no_log_has_a_cell(deployment):
    skipped = {".parquet", ".skops"}
    files = [path for path in deployment.folder.rglob("*") if path.is_file()]
    files = [path for path in files if path.suffix not in skipped]
    # an owner's own part of a fit may have its categories
    files = [path for path in files if not path.parent.name.endswith(".fits")]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]

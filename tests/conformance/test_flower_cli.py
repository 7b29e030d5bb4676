"""``fedps flower``: what it checks, what it makes, and how it starts Flower's own programs."""

import os
import socket
import ssl
import subprocess
import sys
import threading
import tomllib
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("flwr")

from click.testing import CliRunner

import fedps
from fedps.cli.commands import fedps_command
from fedps.flower import flower_programs, flwr_command
from fedps.flower.run_config import DEFAULTS, read_run_config
from fedps.flower.superlink_address import why_unreachable
from tests.conformance.flower_deployment import make_certificates

PREP = "from sklearn.preprocessing import StandardScaler\n\npipeline = StandardScaler()\n"
KNN = "from sklearn.impute import KNNImputer\n\npipeline = KNNImputer()\n"
PACKAGES = Path(fedps.__file__).parents[1]
LINK = ("--superlink", "localhost:8000")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("prep.py").write_text(PREP)
    pd.DataFrame({"age": range(30), "sick": [0, 1] * 15}).to_parquet("oslo.parquet")
    make_certificates(tmp_path)  # ca.crt, server.pem and server.key
    Path("oslo.key").write_text("")
    return tmp_path


@pytest.fixture
def started(monkeypatch):
    calls = []
    monkeypatch.setattr(
        flower_programs,
        "become",
        lambda program, words, home=None: calls.append((program, words, home)),
    )
    monkeypatch.setattr("fedps.cli.flower.check_unused", lambda host, port: None)
    return calls


def fedps_flower(*words):
    return CliRunner().invoke(fedps_command, ["flower", *words])


def says(result, code, text):
    assert result.exit_code == code, result.output
    assert text in " ".join(result.output.split())


def test_help_lists_the_commands():
    result = fedps_flower("--help")
    assert result.exit_code == 0
    for command in ("app", "client", "register", "run", "server"):
        assert f"  {command} " in result.output


def test_an_app_is_a_folder_without_code_of_ours(folder):
    options = ("--clients", "3", "--quorum", "2", "--out", "prep.skops")
    says(fedps_flower("app", "Heart fit", "--pipeline", "prep.py:pipeline", *options), 0, "wrote")
    app = folder / "Heart fit"
    assert sorted(path.name for path in app.iterdir()) == ["prep.py", "pyproject.toml"]
    project = tomllib.loads((app / "pyproject.toml").read_text())
    assert project["project"]["name"] == "heart-fit"
    flower = project["tool"]["flwr"]["app"]
    assert flower["components"]["clientapp"] == "fedps.flower.client_app:app"
    changed = {"clients": 3, "quorum": 2, "out": str(folder / "prep.skops")}
    assert flower["config"] == {**DEFAULTS, **changed}


def test_flower_takes_the_app(folder):
    fedps_flower("app", "heart", "--pipeline", "prep.py:pipeline", "--clients", "3")
    made = subprocess.run(
        [Path(sys.executable).parent / "flwr", "build", "--app", "heart"],
        env={**flower_programs.environment(folder / "home"), "PYTHONPATH": str(PACKAGES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.mark.parametrize(
    ("pipeline", "text"),
    [
        ("prep.py:pipelin", "Did you mean 'pipeline'?"),
        ("no.py:pipeline", "there is no file 'no.py'"),
        ("sklearn.preprocessing:StandardScaler", "is a class"),
        ("svm.py:pipeline", "SVC"),
    ],
)
def test_an_app_of_something_else_is_refused(folder, pipeline, text):
    Path("svm.py").write_text("from sklearn.svm import SVC\npipeline = SVC()\n")
    says(fedps_flower("app", "heart", "--pipeline", pipeline), 2, text)
    assert not Path("heart").exists()


def test_an_app_is_not_overwritten(folder):
    made = ("app", "heart", "--pipeline", "prep.py:pipeline", "--clients", "3")
    assert fedps_flower(*made).exit_code == 0
    says(fedps_flower(*made), 2, "exists already")


def test_a_client_is_started_with_its_own_settings(folder, started, monkeypatch):
    monkeypatch.setenv("FLWR_HOME", str(folder / "home"))
    Path("policy.toml").write_text('min_rows = 20\ndeny = ["nmae"]\n')
    result = fedps_flower(
        "client", "--name", "St. Olav's", "--data", "oslo.parquet", "--target", "sick",
        "--policy", "policy.toml", "--ledger", "oslo.jsonl", "--port", "9101",
        "--root-certificates", "ca.crt", "--key", "oslo.key", *LINK,
    )  # fmt: skip
    says(result, 0, '"St. Olav\'s" has 30 rows of 1 column')
    says(result, 0, "min_rows 20")
    says(result, 0, "deny names a column 'nmae', which is not there")
    ((program, words, home),) = started
    assert program == "flower-supernode"
    given = dict(zip(words[::2], words[1::2], strict=True))
    assert given["--superlink"] == "localhost:8000"
    assert given["--root-certificates"] == str(folder / "ca.crt")
    assert given["--auth-supernode-private-key"] == str(folder / "oslo.key")
    assert tomllib.loads(given["--node-config"].replace(" data=", "\ndata=").replace(
        " target=", "\ntarget=").replace(" policy=", "\npolicy=").replace(" ledger=", "\nledger=")
    ) == {
        "name": "St. Olav's",
        "data": str(folder / "oslo.parquet"),
        "target": "sick",
        "policy": str(folder / "policy.toml"),
        "ledger": str(folder / "oslo.jsonl"),
    }  # fmt: skip
    assert home.is_relative_to(folder / "home")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--data", "olso.parquet"), "there is no file 'olso.parquet'"),
        (("--data", "oslo.parquet", "--target", "sik"), "sik"),
        (("--data", "oslo.parquet", "--policy", "bad.toml"), "bad.toml, line 2"),
        (("--data", "oslo.parquet", "--ledger", "no/where.jsonl"), "cannot be written"),
        (
            ("--data", "oslo.parquet", "--policy", "counts.toml"),
            "and max_fits. That is counted over",
        ),
        (("--data", "oslo.parquet"), "has max_share and budget. That is counted"),
        (("--data", "oslo.parquet", "--policy", "users.toml"), "which user started a run"),
        (("--data", "oslo.parquet", "--ledger", "oslo.jsonl", "--key", "no.key"), "no.key"),
        (("--data", "oslo.parquet", "--insecure", "--key", "oslo.key"), "--insecure goes without"),
    ],
)
def test_a_client_that_cannot_work_is_not_started(folder, started, words, text):
    Path("counts.toml").write_text("max_fits = 3\n")
    Path("bad.toml").write_text('level = "SUMMARY"\nmin_row = 5\n')
    Path("users.toml").write_text('requesters = ["lead@hospitals.org"]\n')
    says(fedps_flower("client", "--name", "oslo", *words, *LINK), 2, text)
    assert not started


def test_a_server_lets_only_known_keys_in(folder, started):
    files = ("--certificate", "server.pem", "--key", "server.key", "--root-certificates", "ca.crt")
    assert fedps_flower("server", "--port", "8001", *files).exit_code == 0
    ((program, words, _),) = started
    assert program == "flower-superlink"
    assert {"--enable-supernode-auth", "--disable-runtime-dependency-installation"} < set(words)
    assert words[words.index("--ssl-certfile") + 1] == str(folder / "server.pem")


def test_a_server_without_certificates_must_be_meant(folder, started):
    says(fedps_flower("server"), 2, "needs --certificate, --key and --root-certificates")
    assert not started
    assert fedps_flower("server", "--insecure").exit_code == 0
    assert "--insecure" in started[0][1]


@pytest.mark.parametrize(
    ("certificate", "host", "text"),
    [
        ("server.pem", "server.example.org", "valid for localhost, 127.0.0.1, and not for server"),
        ("ca.crt", "0.0.0.0", "no name at all (subjectAltName), and not for 127.0.0.1"),  # noqa: S104
        ("prep.py", "127.0.0.1", "is not a certificate in PEM form"),
    ],
)
def test_a_certificate_that_cannot_serve_is_refused(folder, started, certificate, host, text):
    files = ("--certificate", certificate, "--key", "server.key", "--root-certificates", "ca.crt")
    says(fedps_flower("server", "--host", host, *files), 2, text)
    assert not started


def test_a_server_needs_the_key_and_the_authority_of_its_certificate(folder, started):
    (folder / "other").mkdir()
    make_certificates(folder / "other")
    given = {"--certificate": "server.pem", "--key": "server.key", "--root-certificates": "ca.crt"}
    for option, file, text in (
        ("--key", "other/server.key", "'other/server.key' is not the key of 'server.pem'"),
        ("--key", "prep.py", "'prep.py' is not the key of 'server.pem'"),
        ("--root-certificates", "other/ca.crt", "was not signed by 'other/ca.crt'"),
        ("--root-certificates", "prep.py", "'prep.py' is not a certificate"),
    ):
        words = [word for pair in {**given, option: file}.items() for word in pair]
        says(fedps_flower("server", *words), 2, text)
    assert not started


def test_a_server_is_not_started_where_one_listens():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        says(fedps_flower("server", "--insecure", "--port", str(port)), 2, f"127.0.0.1:{port}")


@pytest.mark.parametrize("command", ["run heart", "register ca.crt", "client --name a --data b"])
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--superlink localhost", "must be HOST:PORT, such as localhost:8000; got 'localhost'"),
        ("--superlink https://a:8000", "must be HOST:PORT"),
        ("--superlink a:1 --root-certificates prep.py", "'prep.py' is not a certificate"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused(folder, command, words, text):
    Path("heart").mkdir()
    says(fedps_flower(*command.split(), *words.split()), 2, text)


def test_it_is_said_why_a_server_cannot_be_reached(folder, started):
    (folder / "other").mkdir()
    make_certificates(folder / "other")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("server.pem", "server.key")
    with listening(context) as there:
        assert why_unreachable(there, folder / "ca.crt", insecure=False) is None
        says_not(there, folder / "other/ca.crt", "does not match")
        says_not(there, None, "Give --root-certificates")
    says_not(there, folder / "ca.crt", f"nothing answers at {there} (Connection refused)")
    with listening(None) as there:
        assert why_unreachable(there, None, insecure=True) is None
        says_not(there, folder / "ca.crt", "does not speak TLS")


def says_not(there, authority, text):
    assert text in why_unreachable(there, authority, insecure=False)


@contextmanager
def listening(context):
    """Answer whoever connects: by TLS, or by plain text."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        ended = threading.Event()

        def serve():
            while not ended.is_set():
                with suppress(OSError), server.accept()[0] as caller:
                    caller.settimeout(30)
                    if context is None:
                        caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    else:
                        context.wrap_socket(caller, server_side=True).close()

        thread = threading.Thread(target=serve)
        thread.start()
        port = server.getsockname()[1]
        try:
            yield f"localhost:{port}"
        finally:
            ended.set()
            socket.create_connection(("127.0.0.1", port)).close()
            thread.join()


def test_programs_are_quiet_and_found(tmp_path, monkeypatch):
    monkeypatch.delenv("FLWR_TELEMETRY_ENABLED", raising=False)
    env = flower_programs.environment(tmp_path / "home")
    assert (env["FLWR_TELEMETRY_ENABLED"], env["FLWR_DISABLE_UPDATE_CHECK"]) == ("0", "1")
    assert (Path(env["PATH"].split(os.pathsep)[0]) / "flower-superexec").exists()
    monkeypatch.setenv("FLWR_TELEMETRY_ENABLED", "1")
    assert flower_programs.environment()["FLWR_TELEMETRY_ENABLED"] == "1"


def test_two_clients_of_one_machine_have_homes_of_their_own(monkeypatch):
    monkeypatch.setenv("FLWR_HOME", "/somewhere")
    assert flower_programs.home_of("oslo") != flower_programs.home_of("a/b")
    assert flower_programs.home_of("../..").is_relative_to("/somewhere/fedps")


def test_quotes_of_both_kinds_cannot_be_passed():
    with pytest.raises(fedps.UsageError, match="quotes of both kinds"):
        flwr_command.config_text({"name": "a'b\"c"})


def test_a_run_that_does_not_start_is_an_error(folder):
    fedps_flower("app", "heart", "--pipeline", "prep.py:pipeline", "--clients", "3")
    nobody = f"localhost:{flower_programs.free_port()}"
    result = fedps_flower("run", "heart", "--superlink", nobody, "--insecure")
    says(result, 1, "the run did not start")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "--superlink HOST:PORT; or --simulate NODES"),
        (("--simulate", "3", *LINK), "needs no SuperLink"),
        (("--simulate", "0"), "--simulate"),
    ],
)
def test_a_run_is_somewhere(folder, words, text):
    says(fedps_flower("run", ".", *words), 2, text)


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({}, "how many take part"),
        ({"clients": "3"}, "'clients' of the run config must be an integer"),
        ({"clients": 3, "timeout": True}, "'timeout' of the run config must be a number"),
        ({"clients": 3, "quantile": "exact"}, "Did you mean 'quantiles'?"),
        ({"clients": 3, "quantiles": "some"}, "exact, kll"),
        ({"clients": 3, "pipeline": "prep.py:nothing"}, "nothing"),
        ({"clients": 3, "out": "prep.pickle"}, "skops"),
        ({"clients": 3, "out": "no/prep.skops"}, "there is no folder"),
        ({"clients": 3, "report": "run.pdf"}, "report"),
        ({"clients": 3, "pipeline": "knn.py:pipeline", "out": "p.skops"}, "cannot be saved"),
    ],
)
def test_a_mistake_in_a_run_config_is_found_before_anyone_is_asked(
    folder, monkeypatch, config, text
):
    Path("knn.py").write_text(KNN)
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(fedps.UsageError, match=text):
        read_run_config(config)


def test_a_run_config_is_read(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.chdir("/")
    config = {**DEFAULTS, "clients": 3, "timeout": 5, "quorum": 2, "quantiles": "kll:300"}
    run = read_run_config(config)
    job = run.job
    assert type(run.estimator).__name__ == "StandardScaler"
    assert (job.clients, job.timeout, job.quorum) == (3, 5, 2)
    assert job.quantiles == "kll:300"
    assert job.checkpoint is run.out is run.report is None

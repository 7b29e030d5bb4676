"""Files of the NVFLARE adapter: a site's settings, jobs, startup kits, and the commands for them."""

import json
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest

pytest.importorskip("nvflare", reason="needs NVFLARE")

from click.testing import CliRunner
from nvflare.app_common.default_component_policy import DEFAULT_CLASS_ALLOW_LIST

import fedps
from fedps.cli.nvflare import nvflare_commands
from fedps.engines.client_settings import ClientSettings
from fedps.errors import UsageError
from fedps.files import load_fitted
from fedps.nvflare.job_folder import make_job, read_job
from fedps.nvflare.site_settings import read_site_file, site_file, write_site_file
from fedps.nvflare.startup_kit import ALLOWED, StartupKit

PREP = """\
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, StandardScaler
from sklearn.impute import KNNImputer

def double(X):
    return 2 * X

scaler = StandardScaler()
code = FunctionTransformer(double)
rows = KNNImputer()
"""


@pytest.fixture
def prep(tmp_path):
    file = tmp_path / "prep.py"
    file.write_text(PREP, "utf-8")
    return file


@pytest.fixture
def kit(tmp_path):
    """A client's startup kit, as far as FedPS looks at it."""
    for folder in ("startup", "local"):
        (tmp_path / "oslo" / folder).mkdir(parents=True)
    settings = {"client": {"fqsn": "oslo"}}
    (tmp_path / "oslo" / "startup" / "fed_client.json").write_text(json.dumps(settings))
    (tmp_path / "oslo" / "local" / "resources.json.default").write_text('{"class_allow_list": []}')
    pd.DataFrame({"age": [1.0, 2.0, 3.0], "sick": [0, 1, 0]}).to_csv(
        tmp_path / "oslo.csv", index=False
    )
    return tmp_path / "oslo"


def test_settings_are_read_as_they_were_written(tmp_path):
    written = ClientSettings(
        str(tmp_path / 'a "b" \\ ü.csv'), "sick", tmp_path / "p.toml", tmp_path / "l"
    )
    write_site_file(tmp_path / "fedps.toml", written)
    assert read_site_file(tmp_path / "fedps.toml") == written


def test_paths_are_seen_from_the_folder_of_the_settings(tmp_path):
    (tmp_path / "fedps.toml").write_text('data = "oslo.csv"\npolicy = "../p.toml"\n')
    site = read_site_file(tmp_path / "fedps.toml")
    assert site == ClientSettings(str(tmp_path / "oslo.csv"), None, tmp_path / "../p.toml", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data = ", "fedps.toml is not TOML: Invalid value (at end of document)."),
        (
            'dat = "a"',
            "fedps.toml has 'dat', which is not one of data, target, policy, ledger, dtypes, query, read, split, key, new, outputs, predictions, salt. Did",
        ),
        ("data = 1", "'data' of fedps.toml must be a string in quotes; got 1."),
        ('target = "a"', "fedps.toml does not say where the data is"),
    ],
)
def test_a_mistake_in_the_settings(tmp_path, text, message):
    (tmp_path / "fedps.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_site_file(tmp_path / "fedps.toml")
    assert str(caught.value).startswith(message)


def test_no_settings(tmp_path):
    with pytest.raises(UsageError, match="fedps nvflare client KIT --data FILES"):
        read_site_file(tmp_path / "fedps.toml")


def test_settings_elsewhere(tmp_path, monkeypatch):
    assert site_file(tmp_path, "oslo") == tmp_path / "fedps.toml"
    monkeypatch.setenv("FEDPS_SITE", str(tmp_path / "{site}.toml"))
    assert site_file("local", "oslo") == tmp_path / "oslo.toml"


def test_a_job_of_named_sites(tmp_path, prep):
    make_job(tmp_path / "job", f"{prep}:scaler", ["oslo", "bergen"], timeout=5.0)
    meta = json.loads((tmp_path / "job" / "meta.json").read_text())
    assert meta["deploy_map"] == {"app": ["server", "oslo", "bergen"]}
    assert (meta["min_clients"], meta["mandatory_clients"]) == (2, ["oslo", "bergen"])
    assert read_job(tmp_path / "job").clients == ["oslo", "bergen"]
    pipeline = load_fitted(tmp_path / "job" / "app" / "config" / "pipeline.skops")
    assert type(pipeline).__name__ == "StandardScaler"


def test_a_job_of_any_sites_with_a_quorum(tmp_path, prep):
    make_job(tmp_path / "job", f"{prep}:scaler", 300, quorum=2)
    meta = json.loads((tmp_path / "job" / "meta.json").read_text())
    assert (meta["deploy_map"], meta["min_clients"]) == ({"app": ["@ALL"]}, 2)
    config = json.loads((tmp_path / "job/app/config/config_fed_server.json").read_text())
    assert config["workflows"][0]["args"]["max_outbound_call_threads"] == 300
    assert config["components"][0]["args"] == {"clients": 300, "quorum": 2}


@pytest.mark.parametrize(
    ("name", "clients", "options", "message"),
    [
        ("scaler", 0, {}, "clients is the number of sites that take part, or their names; got 0."),
        ("scaler", ["a", "a"], {}, "the site 'a' is given twice."),
        ("scaler", "oslo", {}, "clients is the number of sites that take part, or their names"),
        ("scaler", 2, {"quorum": 3}, "quorum must be a number of clients from 1 to 2; got 3."),
        ("scaler", 2, {"timeout": 0.0}, "timeout must be a number of seconds above 0; got 0.0."),
        ("scaler", 2, {"quantiles": "kl"}, "--quantiles 'kl': must be exact, kll"),
        ("code", 2, {}, "the pipeline holds what is not part of scikit-learn: "),
        ("rows", 2, {}, "a fitted KNNImputer consists of the rows that it was fitted on"),
    ],
)
def test_a_job_that_cannot_be(tmp_path, prep, name, clients, options, message):
    with pytest.raises(UsageError) as caught:
        make_job(tmp_path / "job", f"{prep}:{name}", clients, **options)
    assert str(caught.value).startswith(message)
    assert not (tmp_path / "job").exists()


def test_a_job_is_not_written_over_another(tmp_path, prep):
    make_job(tmp_path / "job", f"{prep}:scaler", 2)
    with pytest.raises(UsageError, match="exists already"):
        make_job(tmp_path / "job", f"{prep}:scaler", 2)
    with pytest.raises(UsageError, match="as the name of a job"):
        make_job(tmp_path / "my job", f"{prep}:scaler", 2)


def test_what_is_no_job(tmp_path):
    with pytest.raises(UsageError, match="is not a job of 'fedps nvflare job'"):
        read_job(tmp_path)


def test_a_kit_lets_fedps_in_once(kit):
    own = StartupKit(kit, "client")
    assert own.name == "oslo"
    assert own.allow_fedps()
    assert not own.allow_fedps()
    resources = json.loads((kit / "local" / "resources.json").read_text())
    assert resources["class_allow_list"] == list(ALLOWED["client"])


def test_a_kit_without_a_list_keeps_the_default(kit):
    (kit / "local" / "resources.json").write_text("{}")
    StartupKit(kit, "client").allow_fedps()
    resources = json.loads((kit / "local" / "resources.json").read_text())
    assert resources["class_allow_list"] == [*DEFAULT_CLASS_ALLOW_LIST, *ALLOWED["client"]]


def test_a_kit_can_refuse_code(kit):
    rules = {"project_admin": "any", "lead": {"submit_job": "any", "byoc": "any"}, "member": {}}
    (kit / "local" / "authorization.json.default").write_text(json.dumps({"permissions": rules}))
    StartupKit(kit, "client").refuse_code()
    own = json.loads((kit / "local" / "authorization.json").read_text())
    assert own["permissions"] == {
        "project_admin": {"submit_job": "any", "byoc": "none"},
        "lead": {"submit_job": "any", "byoc": "none"},
        "member": {"byoc": "none"},
    }


def test_what_is_no_kit(tmp_path):
    with pytest.raises(UsageError, match="is not a startup kit of kind 'server'"):
        StartupKit(tmp_path, "server")


def test_a_client_is_checked_and_its_settings_are_kept(kit, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text('deny = ["agee"]\n')
    given = [
        "client",
        str(kit),
        "--check",
        "--data",
        str(tmp_path / "oslo.csv"),
        "--target",
        "sick",
        "--ledger",
        str(tmp_path / "oslo.jsonl"),
    ]
    first = CliRunner().invoke(nvflare_commands, [*given, "--policy", str(policy)])
    assert first.exit_code == 0, first.output
    assert "client 'oslo' has 3 rows of 1 column" in first.output
    assert "deny names a column 'agee'" in first.output
    again = CliRunner().invoke(nvflare_commands, ["client", str(kit), "--check"])
    assert again.exit_code == 0, again.output
    assert str(policy) in again.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--target", "sick"],
            "--target, --dtype, --query, --read, --policy, --ledger and those of columns go with --data.",
        ),
        (["--data", "nowhere.csv"], "nowhere.csv"),
        ([], "the settings of this site"),
    ],
)
def test_a_client_that_cannot_start(kit, options, message):
    done = CliRunner().invoke(nvflare_commands, ["client", str(kit), *options])
    assert isinstance(done.exception, UsageError)
    assert message in str(done.exception)


def test_a_mistake_in_the_policy_stops_a_client(kit, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text("min_row = 3\n")
    given = ["client", str(kit), "--data", str(tmp_path / "oslo.csv"), "--policy", str(policy)]
    done = CliRunner().invoke(nvflare_commands, given)
    assert isinstance(done.exception, UsageError)
    assert "policy.toml, line 1" in str(done.exception)
    assert not (kit / "local" / "fedps.toml").exists()


def test_who_takes_part_must_be_said(tmp_path, prep):
    for given in ([], ["--site", "oslo", "--clients", "2"]):
        done = CliRunner().invoke(
            nvflare_commands, ["job", str(tmp_path / "job"), "--pipeline", f"{prep}:scaler", *given]
        )
        assert "say who takes part" in str(done.exception)


def test_it_is_found_as_part_of_fedps():
    assert issubclass(fedps.nvflare.Federation, fedps.Federation)


def test_a_kit_is_not_started_twice(kit, tmp_path):
    (kit / "startup" / "sub_start.sh").write_text("echo started; exec sleep 60\n")
    words = ["client", str(kit), "--data", str(tmp_path / "oslo.csv")]
    words += ["--ledger", str(tmp_path / "oslo.jsonl")]
    command = [sys.executable, "-m", "fedps.cli", "nvflare", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        try:
            assert any(line == "started\n" for line in first.stdout)
            second = CliRunner().invoke(nvflare_commands, words)
            assert isinstance(second.exception, UsageError)
            assert "is running already" in str(second.exception)
        finally:
            first.kill()
    (kit / "startup" / "sub_start.sh").write_text("echo again\n")
    third = subprocess.run(command, capture_output=True, text=True, check=True)
    assert third.stdout.endswith("again\n")


def test_fits_are_counted_by_a_ledger_or_not_at_all(tmp_path):
    pd.DataFrame({"age": range(20)}).to_parquet(tmp_path / "a.parquet")
    (tmp_path / "policy.toml").write_text("max_fits = 2\n", "utf-8")
    site = ClientSettings(str(tmp_path / "a.parquet"), policy=tmp_path / "policy.toml")
    with pytest.raises(UsageError, match="max_fits. That is counted over the life of a ledger"):
        site.open("oslo", "here")
    counted = replace(site, ledger=tmp_path / "ledger.jsonl")
    assert counted.open("oslo", "here").policy.max_fits == 2


def test_dtypes_are_kept_in_the_file_of_a_site(tmp_path):
    pd.DataFrame({"zip": [501, 1234], "age": [1.0, 2.0]}).to_parquet(tmp_path / "a.parquet")
    given = ClientSettings(
        str(tmp_path / "a.parquet"), ledger=tmp_path / "a.jsonl", dtypes={"zip": "str"}
    )
    write_site_file(tmp_path / "fedps.toml", given)
    assert 'dtypes = { "zip" = "str" }\n' in (tmp_path / "fedps.toml").read_text("utf-8")
    found = read_site_file(tmp_path / "fedps.toml")
    assert found.dtypes == {"zip": "str"}
    (chunk,) = found.open("oslo", "here", "lead@study.org").table.chunks()
    assert chunk.X["zip"].tolist() == ["501", "1234"]

"""The command as a shell sees it: help, versions, exit codes, pipes."""

import os
import subprocess
import sys

import pytest

import fedps as library

CLIENTS = "--client oslo=oslo.parquet --client bergen=bergen.csv --client moss=moss.csv"


def test_version_and_help(fedps):
    assert fedps("--version").stdout == f"fedps {library.__version__}\n"
    shown = fedps("--help").stdout
    for name in ("fit", "explain", "transform", "policy", "ledger", "supported", "flower"):
        assert name in shown


@pytest.mark.parametrize("command", ["fit", "explain", "transform", "policy check", "ledger show"])
def test_help_fits_a_narrow_terminal(fedps, command):
    result = fedps(f"{command} --help")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_supported(fedps):
    assert fedps("supported").stdout.split() == library.supported()


@pytest.mark.parametrize("words", ["", "policy", "ledger"])
def test_without_a_command_there_is_help(fedps, words):
    result = fedps(words)
    assert "Usage: fedps" in result.output


def test_unknown_words_are_mistakes(fedps):
    command = fedps("fitt")
    assert command.exit_code == 2
    assert (
        command.stderr
        == "fedps: there is no command 'fitt'. Did you mean 'fit'? Try: fedps --help\n"
    )
    option = fedps("fit prep.py:pipeline --outt x")
    assert option.exit_code == 2
    assert "--outt" in option.stderr
    assert "fedps fit --help" in option.stderr


@pytest.mark.parametrize(("command", "engine"), [("flower", "flwr"), ("nvflare", "nvflare")])
def test_an_engine_that_is_not_installed(fedps, monkeypatch, command, engine):
    monkeypatch.setitem(sys.modules, engine, None)  # importing it fails now
    for name in [
        n for n in sys.modules if n.startswith((f"fedps.{command}", f"fedps.cli.{command}"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    result = fedps(f"{command} --help")
    if result.exit_code == 0:  # the help may need no engine
        return
    assert result.exit_code == 2
    assert f'pip install "fedps[{command}]"' in result.stderr


def test_debug_shows_the_traceback_wherever_it_stands(fedps):
    for words in ("--debug supported --nope", "supported --nope --debug"):
        result = fedps(words)
        assert result.exit_code == 2
        assert "Traceback" in result.stderr
    assert "Traceback" not in fedps("supported --nope").stderr


def test_debug_names_all_clients(fedps, folder):
    (folder / "strict.toml").write_text('level = "AGGREGATE"\n', "utf-8")
    words = "fit prep.py:pipeline --policy strict.toml --out prep.skops"
    each = " ".join(f"--client site{i}=oslo.parquet" for i in range(8))
    refused = fedps(f"{words} {each}")
    assert refused.exit_code == 1
    assert refused.stderr.startswith(
        "fedps: clients 'site0', 'site1', 'site2', 'site3', 'site4' and 3 more refused"
    )
    assert refused.stderr.endswith(" --debug names all 8 clients.\n")
    clients = ", ".join(f"site{i}" for i in range(8))
    assert f"\nclients: {clients}\n" in fedps(f"{words} {each} --debug").stderr


def test_what_nobody_foresaw_shows_no_text_of_its_own(fedps, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("could not convert 'J. Smith'")

    monkeypatch.setattr("fedps.cli.fit.save_fitted", fail)
    result = fedps(f"fit prep.py:pipeline {CLIENTS} --out prep.skops")
    assert result.exit_code == 1
    assert result.stderr == (
        "fedps: unexpected RuntimeError. Run it again with --debug to see the traceback.\n"
    )


def test_warnings_are_lines(fedps, folder):
    (folder / "prep.py").write_text(
        "import warnings\nfrom sklearn.preprocessing import StandardScaler\n"
        "warnings.simplefilter('always')\nwarnings.warn('mind the gap')\npipeline = StandardScaler()\n",
        "utf-8",
    )
    result = fedps(f"explain prep.py:pipeline {CLIENTS}")
    assert "fedps: warning: mind the gap" in result.stderr


def test_in_a_pipe_there_are_no_colours_and_no_wide_lines(shell):
    result = shell(f"fit prep.py:pipeline {CLIENTS} --out prep.skops")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "\x1b" not in result.stdout
    assert "\r" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_exit_codes_of_a_process(shell, folder):
    (folder / "strict.toml").write_text('level = "AGGREGATE"\n', "utf-8")
    refused = shell(f"fit prep.py:pipeline {CLIENTS} --policy strict.toml --out prep.skops")
    assert refused.returncode == 1
    assert refused.stderr.startswith("fedps: clients 'oslo', 'bergen' and 'moss' refused")
    assert refused.stderr.count("\n") == 1
    assert shell("fit nope.py:x --client a=oslo.parquet --out a.skops").returncode == 2


def test_stopped_by_the_user(fedps, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fedps.cli.fit.load_pipeline", stop)
    result = fedps(f"explain prep.py:pipeline {CLIENTS}")
    assert result.exit_code == 130
    assert result.stderr.strip() == "fedps: stopped."


def test_a_reader_that_has_seen_enough(folder):
    """As in ``fedps supported | head -1``."""
    reading, writing = os.pipe()
    os.close(reading)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "fedps.cli", "supported"],
        env=env,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == b""


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    from fedps.cli import main

    monkeypatch.setitem(sys.modules, "click", None)
    for name in [n for n in sys.modules if n.startswith("fedps.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit, match=r'pip install "fedps\[cli\]"'):
        main(["--version"])

"""What ``fedps --help`` imports: little, so that it answers at once."""

import os
import subprocess
import sys

import pytest

HEAVY = {
    "joblib", "msgspec", "numpy", "pandas", "polars", "pyarrow", "rich", "scipy", "skops", "sklearn",
    "flwr", "nvflare", "IPython",
}  # fmt: skip
CODE = """
import atexit, sys
def tell():
    tops = {name.partition(".")[0] for name in sys.modules}
    ours = sorted(name for name in sys.modules if name.partition(".")[0] == "fedps")
    print(*sorted(tops), file=sys.stderr)
    print(*ours, file=sys.stderr)
atexit.register(tell)
from fedps.cli import main
main(sys.argv[1:], prog_name="fedps")
"""
OURS = ["fedps", "fedps.cli", "fedps.cli.commands", "fedps.cli.exit_codes", "fedps.errors"]


def imported(*words, **env):
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    every, ours = done.stderr.splitlines()[-2:]
    return done.stdout, set(every.split()), ours.split()


@pytest.mark.parametrize("word", ["--help", "-h", "--version"])
def test_help_and_version_import_nothing_heavy(word):
    shown, every, ours = imported(word)
    assert shown
    assert every & HEAVY == set()
    assert ours == OURS


def test_completion_of_a_command_imports_nothing_heavy():
    shown, every, ours = imported(
        _FEDPS_COMPLETE="bash_complete", COMP_WORDS="fedps f", COMP_CWORD="1"
    )
    assert shown.split() == ["plain,fit", "plain,flower"]
    assert every & HEAVY == set()
    assert ours == OURS


def test_the_package_imports_what_it_needs_when_it_is_used():
    code = (
        "import sys, fedps; print(*sorted(sys.modules)); fedps.Policy; print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    before, after = (set(line.split()) for line in done.stdout.splitlines())
    assert before & HEAVY == set()
    assert {"fedps.client", "numpy", "sklearn"} <= after

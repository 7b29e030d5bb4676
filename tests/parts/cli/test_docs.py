"""The shell sessions in the documentation run as they are printed."""

import re
import runpy
import shlex
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
KNN = "from sklearn.impute import KNNImputer\npipeline = KNNImputer()\n"


def commands(session):
    """Yield each command and what it prints."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@pytest.mark.parametrize("page", ["cli.md", "policies.md"])
def test_sessions(fedps, folder, page):
    text = (DOCS / page).read_text("utf-8")
    (folder / "knn.py").write_text(KNN, "utf-8")
    for name, body in FILE.findall(text):
        (folder / name).write_text(body, "utf-8")
    sessions = SESSION.findall(text)
    assert sessions
    for command, expected in (both for session in sessions for both in commands(session)):
        program, *words = shlex.split(command)
        if program == "python":
            runpy.run_path(words[0])
            continue
        assert program == "fedps"
        printed = fedps("", *words).output
        same = OutputChecker().check_output(expected, printed, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert same, f"{command}\n{printed}"

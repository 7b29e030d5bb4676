"""The shell sessions in the documentation run as they are printed."""

import re
import runpy
import shlex
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
KNN = "from sklearn.impute import KNNImputer\npipeline = KNNImputer()\n"


NAME = re.compile(r"\b[0-9a-f]{8}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?")


def of_this_run(text, folder):
    """Return a text with the name of the request that waits here: it depends on scikit-learn's version."""
    waiting = sorted(folder.glob("*.requests/????????????????????????????????.json"))
    return NAME.sub(waiting[0].name[:8], text) if waiting else text


def commands(session):
    """Yield each command and what it prints."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@pytest.mark.parametrize("page", ["cli.md", "policies.md"])
def test_sessions(fedps, folder, page, monkeypatch):
    text = (DOCS / page).read_text("utf-8")
    (folder / "knn.py").write_text(KNN, "utf-8")
    for name, body in FILE.findall(text):
        (folder / name).write_text(body, "utf-8")
    sessions = SESSION.findall(text)
    assert sessions
    for command, expected in (both for session in sessions for both in commands(session)):
        program, *words = shlex.split(command)
        if program == "python":
            monkeypatch.syspath_prepend(str(folder))
            monkeypatch.delitem(sys.modules, "prep", raising=False)
            runpy.run_path(words[0])
            continue
        assert program == "fedps"
        words = [of_this_run(word, folder) for word in words]
        printed = TIME.sub("TIME", fedps("", *words).output)
        wanted = TIME.sub("TIME", of_this_run(expected, folder))
        same = OutputChecker().check_output(wanted, printed, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert same, f"{command}\n{printed}"

"""What must not stand in the library's sources: ways to run what a peer sends."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "fedps"
SOURCES = sorted(PACKAGE.rglob("*.py"))
MODULES = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "yaml", "datasketches"}
CALLS = {"eval", "exec", "compile", "__import__"}
WORDS = {"allow_pickle", "deserialize", "unsafe_load"}


def is_harmless(node: ast.ImportFrom) -> bool:
    """Return whether only that is imported by which scikit-learn is kept to one process."""
    return node.module == "joblib" and {alias.name for alias in node.names} == {"parallel_backend"}


def names_in(tree: ast.AST) -> set[str]:
    """Return all modules that are imported, functions called and words used as names."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {f"import {alias.name.split('.')[0]}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not is_harmless(node):
            found.add(f"import {(node.module or '').split('.')[0]}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(f"call {node.func.id}")
        elif isinstance(node, ast.keyword):
            found.add(f"word {node.arg}")
        elif isinstance(node, ast.Attribute):
            found.add(f"word {node.attr}")
    return found


FORBIDDEN = (
    {f"import {name}" for name in MODULES}
    | {f"call {name}" for name in CALLS}
    | {f"word {name}" for name in WORDS}
)


def test_there_are_sources():
    assert len(SOURCES) > 20


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_that_runs_what_a_peer_sends(path):
    text = path.read_text(encoding="utf-8")
    assert not names_in(ast.parse(text)) & FORBIDDEN
    for word in ("pickle.load", "eval(", "exec(", "allow_pickle", "marshal", "yaml.load"):
        assert word not in text


def test_the_check_sees_what_it_looks_for():
    text = "import pickle\nfrom yaml import load\nfrom joblib import load\neval('1')\nnp.load(f, allow_pickle=True)\nx.deserialize(b)"
    assert names_in(ast.parse(text)) & FORBIDDEN == {
        "import joblib",
        "import pickle",
        "import yaml",
        "call eval",
        "word allow_pickle",
        "word deserialize",
    }


def test_modules_are_imported_by_name_in_few_places_only():
    """A pipeline can name functions: one file looks them up. Frames import pandas where it is there,
    and a file's lock what only some systems have.

    The command line loads what its own user names.
    """
    users = [path for path in SOURCES if "import_module" in path.read_text(encoding="utf-8")]
    found = {path.relative_to(PACKAGE).as_posix() for path in users if "cli" not in path.parts}
    assert found <= {
        "client/file_lock.py",
        "client/places/functions.py",
        "client/tables/sources/arrow_frames.py",
        "files/pipelines.py",
    }

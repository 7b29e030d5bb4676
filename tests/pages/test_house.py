"""The shape of the house: small files and functions, full folders split, one meaning per name."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import fedps

HOME = Path(fedps.__file__).parent
FILES = sorted(HOME.rglob("*.py"))
MOST_LINES, MOST_IN_FUNCTION, MOST_FILES = 400, 40, 15

# the same idea on both sides of an import law, or in two engines
ALLOWED_TWICE = {"Array", "Federation", "answer", "app", "log", "main"}


def trees():
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def test_no_file_is_too_long():
    long = {
        str(path.relative_to(HOME)): len(path.read_text("utf-8").splitlines()) for path in FILES
    }
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES} == {}


def length(function):
    """Return how many lines a function has, without its docstring."""
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        first = function.body[0]
        lines -= first.end_lineno - first.lineno + 1
    return lines


def test_no_function_is_too_long():
    long = [
        (path.name, node.name)
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and length(node) > MOST_IN_FUNCTION
    ]
    assert long == []


def test_no_folder_is_too_full():
    folders = defaultdict(list)
    for path in FILES:
        if path.stem not in ("__init__", "__main__"):
            folders[str(path.parent.relative_to(HOME))].append(path.stem)
    assert {name: len(files) for name, files in folders.items() if len(files) > MOST_FILES} == {}


def defined(tree):
    """Yield the public names that a module defines."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def test_no_name_has_two_meanings():
    homes = defaultdict(set)
    for path, tree in trees().items():
        for name in defined(tree):
            if not name.startswith("_"):
                homes[name].add(str(path.relative_to(HOME)))
    twice = {name: sorted(where) for name, where in homes.items() if len(where) > 1}
    assert {name: where for name, where in twice.items() if name not in ALLOWED_TWICE} == {}


@pytest.mark.slow
def test_the_way_of_a_cell_is_short():
    """In a process of its own: caches of other tests would hide files."""
    code = "from benchmarks.way_of_a_cell import files_run; print(len(files_run()))"
    root = HOME.parents[1]
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    number = int(found.stdout)
    assert number <= 80  # a third of them are what a client checks before it answers
    page = (root / "docs/architecture.md").read_text("utf-8")
    assert f"`fit` runs code of {number} files on that way" in page

"""What pytest leaves alone where an engine or the built site is not there, and the sample that ``--quick`` takes."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

ENGINES = {"flower": "flwr", "nvflare": "nvflare"}

collect_ignore_glob = [
    path
    for ours, engine in ENGINES.items()
    if find_spec(engine) is None
    for path in (
        f"src/fedps/{ours}/*",
        f"src/fedps/transports/{ours}.py",
        f"src/fedps/cli/{ours}*.py",
        f"src/fedps/cli/*/{ours}_*.py",
        f"examples/{ours}*",
        f"tests/conformance/{ours}_*",
    )
]

# Modules of Sphinx, and tests of what it built: `make test-docs` builds it and names the folder.
collect_ignore_glob += ["docs/site/*.py"]
if "FEDPS_SITE" not in os.environ:
    collect_ignore_glob += ["tests/site/*"]

# `make quick` runs one in so many cases of each file, from the first on.
ONE_IN = 12


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--quick``."""
    help = f"one in {ONE_IN} cases of each file of tests, and none that is marked slow"
    parser.addoption("--quick", action="store_true", help=help)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the slow tests, so that no worker is left alone with one; or leave them out."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    others = [item for item in items if not item.get_closest_marker("slow")]
    items[:] = slow + others
    if config.getoption("quick"):
        items[:] = sample(others)
        left_out = {*slow, *others} - {*items}
        config.hook.pytest_deselected(items=list(left_out))


def sample(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return every ``ONE_IN``-th test of each file, from its first on."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return [item for tests in files.values() for item in tests[::ONE_IN]]

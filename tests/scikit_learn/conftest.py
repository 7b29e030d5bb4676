"""scikit-learn's own tests, with every ``fit`` across three clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scikit_learn.shim import Shim

HERE = Path(__file__).parent


def pytest_configure(config):
    """Register the marks of scikit-learn's tests."""
    config.addinivalue_line("markers", "thread_unsafe: a test that must not run in threads")


def pytest_collection_modifyitems(items):
    """Let warnings be warnings, as in scikit-learn's own run."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"), append=False)


@pytest.fixture(autouse=True)
def shim(monkeypatch):
    """Fit across clients in every test of this folder."""
    shim = Shim()
    import os

    if not os.environ.get("POOLED"):
        shim.install(monkeypatch)
    return shim


@pytest.fixture
def global_random_seed():
    """The seed that scikit-learn's own run uses by default."""
    return 42

"""scikit-learn's own tests, with every ``fit`` across three clients.

Each module here has the tests of one of scikit-learn's, as installed: their functions are imported, not copied.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from tests.scikit_learn.refusals import expected_refusal, known_difference
from tests.scikit_learn.shim import Refusal, Shim

HERE = Path(__file__).parent

# a second or more each
SLOW = re.compile(
    r"test_iterative_imputer_no_missing|test_csr_polynomial_expansion_index_overflow.*"
)


def pytest_configure(config):
    """Register the marks of scikit-learn's tests."""
    config.addinivalue_line("markers", "thread_unsafe: a test that must not run in threads")


def pytest_collection_modifyitems(items):
    """Let warnings be warnings, as in scikit-learn's own run, and expect the refusals of the table."""
    for item in items:
        if HERE not in item.path.parents or item.path.stem == "test_refusals":
            continue
        item.add_marker(pytest.mark.filterwarnings("default"), append=False)
        if SLOW.fullmatch(item.name):
            item.add_marker(pytest.mark.slow)
        entry = expected_refusal(item.path.stem, item.name)
        why = known_difference(item.path.stem, item.name)
        if entry is not None:
            item.add_marker(pytest.mark.xfail(raises=Refusal, reason=entry.heading, strict=True))
        elif why is not None:
            item.add_marker(pytest.mark.xfail(reason=why, strict=True))


@pytest.fixture(autouse=True)
def shim(request, monkeypatch):
    """Fit across clients in every test of this folder."""
    shim = Shim(expected_refusal(request.path.stem, request.node.name))
    shim.install(monkeypatch)
    with threadpool_limits(1):
        yield shim


@pytest.fixture
def global_random_seed():
    """The seed that scikit-learn's own run uses by default."""
    return 42

"""A Sphinx extension: a public name that no page documents is a warning, so that the build fails."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging

from fedps.statistics import Statistic

log = logging.getLogger(__name__)
MODULES = ("fedps", "fedps.flower", "fedps.nvflare")


def public_names() -> Iterator[str]:
    """Yield the names of all that is public: what modules list, and what their classes define."""
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            yield f"{module.__name__}.{name}"
            value = getattr(module, name)
            # a sketch is a setting of fit: what its methods do is a client's business
            if inspect.isclass(value) and not issubclass(value, Statistic):
                yield from (f"{module.__name__}.{name}.{member}" for member in _members(value))


def _members(owner: type) -> Iterator[str]:
    """Yield the public methods and properties that a class defines itself."""
    for name in vars(owner):
        member = inspect.getattr_static(owner, name)
        if not name.startswith("_") and isinstance(
            member, classmethod | staticmethod | property | type(_members)
        ):
            yield name


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of each public name that is on no page."""
    with mock(app.config.autodoc_mock_imports):
        names = list(public_names())
    documented = env.domains["py"].data["objects"]
    for name in names:
        if name not in documented:
            log.warning("%s is public, and no page of docs/site/api documents it", name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx call the check when it has read all pages."""
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The public surface: no more than the design promises, all of it documented."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import fedps
from fedps import errors

NAMES = {
    "CSV",
    "Excel",
    "KLL",
    "SQL",
    "REQ",
    "Federation",
    "FrequentItems",
    "Policy",
    "Look",
    "fit",
    "load",
    "row_by_row",
    "save",
    "supported",
}
SETTINGS = (
    "level",
    "unit",
    "min_rows",
    "min_count",
    "max_share",
    "budget",
    "min_clients",
    "max_dominance",
    "allow",
    "deny",
    "max_fits",
    "functions",
    "consent",
    "fillings",
    "own_numbers",
    "requesters",
)
ERRORS = {
    "ClientError",
    "Disagreement",
    "FedPSError",
    "NotFederated",
    "PeerError",
    "Refused",
    "TransportError",
    "UsageError",
}
MODULES = [
    module.name
    for module in pkgutil.walk_packages(fedps.__path__, "fedps.")
    if not module.name.endswith("__main__")
]


def test_the_public_names():
    assert set(fedps.__all__) == NAMES | ERRORS
    assert fedps.__version__


@pytest.mark.parametrize("name", fedps.__all__)
def test_every_public_name_is_documented(name):
    value = getattr(fedps, name)
    assert inspect.getdoc(value)
    if inspect.isclass(value):
        methods = [m for m in vars(value) if not m.startswith("_")]
        for method in methods:
            member = inspect.getattr_static(value, method)
            if callable(member) or isinstance(member, property | classmethod | staticmethod):
                assert inspect.getdoc(member), f"{name}.{method}"


def test_the_methods_of_a_federation():
    names = {name for name in vars(fedps.Federation) if not name.startswith("_")}
    known = "explain fit fit_transform ledgers predict run schema transform"
    assert names == {*known.split()}
    options = inspect.signature(fedps.Federation).parameters
    known = "clients split target key match policy dtypes progress timeout quorum max_rows"
    assert list(options) == known.split()
    assert all(p.kind is p.KEYWORD_ONLY for p in list(options.values())[1:])


def test_the_settings_of_a_policy():
    assert fedps.Policy.__struct_fields__ == SETTINGS


def test_every_error_is_one_of_ours():
    here = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value)
        and issubclass(value, Exception)
        and value.__module__ == "fedps.errors"
    }
    assert here == ERRORS
    for name in ERRORS:
        assert issubclass(getattr(errors, name), errors.FedPSError)
        assert getattr(fedps, name) is getattr(errors, name)
    assert issubclass(errors.UsageError, ValueError)


def imported(name):
    """Import a module of ours; those of an engine are tried where it is installed."""
    for ours, engine in {"flower": "flwr", "nvflare": "nvflare"}.items():
        if ours in name.replace("_", ".").split("."):
            pytest.importorskip(engine, reason=f"{name} needs {engine}")
    return importlib.import_module(name)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_can_be_imported_and_says_what_it_is(name):
    module = imported(name)
    assert module.__doc__
    for listed in getattr(module, "__all__", ()):
        assert hasattr(module, listed)


@pytest.mark.parametrize("name", MODULES)
def test_every_function_and_class_is_documented(name):
    module = imported(name)
    for key, value in vars(module).items():
        ours = getattr(value, "__module__", None) == name
        if (
            ours
            and not key.startswith("_")
            and (inspect.isclass(value) or inspect.isfunction(value))
        ):
            assert inspect.getdoc(value), f"{name}.{key}"


def test_supported_lists_what_can_be_fitted():
    names = fedps.supported()
    assert {"StandardScaler", "OneHotEncoder", "Pipeline", "ColumnTransformer"} <= set(names)
    assert list(names) == sorted(names)

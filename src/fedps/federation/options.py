"""The options of a fit that say how exactly something is to be found."""

from __future__ import annotations

from typing import Any

from fedps.errors import UsageError
from fedps.protocol.plan import Options
from fedps.statistics import KLL, REQ, FrequentItems

EXACT = "exact"


def read_options(quantiles: Any, frequent: Any) -> Options:
    """Return the options as plans read them; UsageError for what is none.

    >>> read_options("exact", "exact")
    Options(quantiles=None, frequent=None, outputs=False)
    """
    return Options(
        quantiles=_sketch(
            "quantiles", quantiles, (KLL, REQ), "fedps.KLL(k=200) or fedps.REQ(k=12)"
        ),
        frequent=_sketch("frequent", frequent, (FrequentItems,), "fedps.FrequentItems(k=1000)"),
    )


def _sketch(name: str, given: Any, kinds: tuple[type, ...], known: str) -> Any:
    if isinstance(given, str) and given == EXACT:
        return None
    if isinstance(given, kinds):
        return given
    if isinstance(given, type) and given in kinds:
        raise UsageError(f"{name}={given.__name__} is a class: give an instance, such as {known}.")
    raise UsageError(f"{name} is 'exact' or a sketch, such as {known}; got {given!r}.")

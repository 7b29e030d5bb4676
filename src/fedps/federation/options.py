"""What a user may choose: how exactly a fit is done, how long a round takes, how many must stay."""

from __future__ import annotations

from threading import TIMEOUT_MAX
from typing import Any

from fedps.errors import UsageError
from fedps.protocol.plan import Options
from fedps.statistics import KLL, REQ, FrequentItems

EXACT = "exact"


def read_options(quantiles: Any, frequent: Any) -> Options:
    """Return the options as plans read them; UsageError for what is not one.

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


def check_timeout(timeout: Any) -> None:
    """Refuse what is not a number of seconds to wait."""
    if type(timeout) not in (int, float) or not timeout > 0:
        raise UsageError(f"timeout is a number of seconds above 0; got {timeout!r}.")
    if timeout > TIMEOUT_MAX:
        raise UsageError(f"timeout is at most {TIMEOUT_MAX:.0f} seconds; got {timeout!r}.")


def read_quorum(quorum: int | None, clients: int, split: str = "rows") -> int | None:
    """Return the quorum; UsageError for what is not one."""
    if quorum is None:
        return None
    if split == "columns":
        raise UsageError(
            "with split='columns', every client has columns that no other has: quorum= has no use."
        )
    if type(quorum) is not int or not 1 <= quorum <= clients:
        raise UsageError(f"quorum is a number of clients from 1 to {clients}; got {quorum!r}.")
    return quorum

"""What clients keep back, said once for all clients that do so."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OF_ONE = re.compile(r"client '(?P<client>.+?)' shows (?P<what>.+)", re.DOTALL)


def gathered_notes(notes: Sequence[str]) -> list[str]:
    """Return sentences, those that say the same of several clients as one.

    >>> gathered_notes(["client 'oslo' shows nothing.", "few rows", "client 'lund' shows nothing."])
    ["clients 'oslo' and 'lund' show nothing.", 'few rows']
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for note in notes:
        match = _OF_ONE.fullmatch(note)
        what, client = (match["what"], [match["client"]]) if match else (note, [])
        clients = found.setdefault(what, (note, []))[1]
        clients += [each for each in client if each not in clients]
    return [
        first if len(clients) < 2 else f"clients {_listed(clients)} show {_of_several(what)}"
        for what, (first, clients) in found.items()
    ]


def _of_several(what: str) -> str:
    return what.replace("by its policy", "by their policies").replace("its own", "their own")


def _listed(clients: Sequence[str]) -> str:
    *others, last = [f"'{client}'" for client in clients]
    return f"{', '.join(others)} and {last}"

"""Sentences about what clients kept back of a look: of each column, and of all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fedps.protocol.answers import who
from fedps.protocol.heard import OWN_NUMBERS
from fedps.protocol.plan import STILL_EXACT
from fedps.protocol.pooled import Limited, Pooled
from fedps.report.limitations import UNKNOWN_BOUND
from fedps.statistics.limits import NOTHING_SHOWN

# what a client does not show that answers a statistic with nothing: it may have shown others
_NONE_SHOWN = {
    "Moments": "no sums",
    "Cubes": "no sums of cubes",
    "Spread": "neither values nor how many there are",
    "Within": "no values around quantiles",
    "Heaviest": "no categories",
    "Known": "no counts of categories",
    "CoMoments": "no products of columns",
    "PairCounts": "no pairs",
}

# by the name of a part of the look, then by the name of a column
Notes = dict[str, dict[str, tuple[str, ...]]]


def notes_of(parts: Sequence[str], pooled: Pooled) -> Notes:
    """Return what clients kept back of each part of a look and each column, in sentences."""
    found: Notes = {}
    for number, part in enumerate(parts):
        here = [one for one in pooled.limited if one.path == (number,) and one.rule != OWN_NUMBERS]
        columns = dict.fromkeys(one.name for one in here)
        found[part] = {
            name: _sentences([one for one in here if one.name == name], pooled, part)
            for name in columns
        }
    return found


def _sentences(limited: Sequence[Limited], pooled: Pooled, part: str) -> tuple[str, ...]:
    """Return what clients kept back of one column; those that did the same are in one sentence."""
    place = {(one.path, one.column) for one in limited}
    bounds = dict.fromkeys(b.text for b in pooled.bounds if (b.path, b.column) in place)
    told = [text for text in bounds if text not in (STILL_EXACT, UNKNOWN_BOUND)]
    if part.startswith("dates"):  # what lies in an interval is in microseconds
        told = [text.partition(";")[0] for text in told]
    clients: dict[tuple[str, str], list[str]] = {}
    for one in limited:
        shown = one.shown
        if shown == NOTHING_SHOWN and one.statistic in _NONE_SHOWN:
            shown = _NONE_SHOWN[one.statistic]
        names = clients.setdefault((shown, one.rule), [])
        if one.client not in names:
            names.append(one.client)
    texts = [
        f"{who(names)} {'shows' if len(names) == 1 else 'show'} {shown} ({rule})."
        for (shown, rule), names in clients.items()
    ]
    return (*texts, *(f"{text[0].upper()}{text[1:]}." for text in dict.fromkeys(told)))


def notes_by_client(pooled: Pooled) -> list[str]:
    """Return a sentence for each client that kept something back."""
    found: dict[str, list[Limited]] = {}
    for one in pooled.limited:
        found.setdefault(one.client, []).append(one)
    return [_of_client(client, some) for client, some in found.items()]


def _of_client(client: str, limited: Sequence[Limited]) -> str:
    rules = dict.fromkeys(one.rule for one in limited)
    if list(rules) == [OWN_NUMBERS]:
        return (
            f"client {client!r} shows its own numbers only in those of all clients ({OWN_NUMBERS})."
        )
    columns = dict.fromkeys(one.name for one in limited if one.rule != OWN_NUMBERS)
    names = ", ".join(columns)
    return (
        f"client {client!r} shows less than was asked of {names} by its policy ({', '.join(rules)}): each "
        "column says what."
    )


def column_notes(
    notes: Mapping[str, Mapping[str, tuple[str, ...]]], part: str, name: object
) -> tuple[str, ...]:
    """Return the sentences about a column."""
    return notes.get(part, {}).get(str(name), ())

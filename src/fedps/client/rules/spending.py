"""Spending: what answers tell about each column, held against what may be told over a ledger's life."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from msgspec import structs

from fedps.client.ledger import Account, Charge
from fedps.client.policy import Policy
from fedps.client.rules.sources import Sources
from fedps.protocol.codec import encode_part
from fedps.protocol.messages import Refusal
from fedps.statistics import Disclosure, Statistic, Summary
from fedps.statistics.base import Array
from fedps.statistics.limits import NO_LIMIT
from fedps.statistics.ragged import Ragged

_ONE_BY_ONE = 512  # columns, up to which equal answers are found column by column


class Spending:
    """What the answers of a round may still tell.

    Parameters
    ----------
    policy : Policy
        The client's rules.
    rows : int
        How many rows its table has.
    account : Account
        What all answers before told.
    """

    def __init__(self, policy: Policy, rows: int, account: Account) -> None:
        self.most = Allowed(policy, rows)
        self._account = account
        self._new: dict[str, Charge] = {}  # of this round
        self._values: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()

    def left(self, sources: Sources) -> tuple[Array, Array]:
        """Return how many more values and numbers may be told of each column of a table."""
        both = []
        for most, new, at in (
            (self.most.values, self._values, 0),
            (self.most.numbers, self._numbers, 1),
        ):
            own = {
                name: max(most - self._account.spent(name)[at] - new[name], 0)
                for name in frozenset[str]().union(*sources)
            }
            both.append(np.array([min(own[n] for n in names) if names else 0 for names in sources]))
        return both[0], both[1]

    def check(self, charges: Sequence[Charge]) -> Refusal | None:
        """Check that charges can be afforded."""
        return self.most.check(self._account, [*self._new.values(), *charges])

    def over(self, charges: Sequence[Charge]) -> tuple[set[str], set[str]]:
        """Return the columns of which charges show too many values, and tell too many numbers."""
        return self.most.over(self._account, [*self._new.values(), *charges])

    def take(self, charges: Sequence[Charge]) -> None:
        """Count charges of this round."""
        for charge in charges:
            if charge.key not in self._new:
                self._new[charge.key] = charge
                self._values[charge.column] += charge.values
                self._numbers[charge.column] += charge.numbers


class Allowed:
    """How much all answers of a ledger together may tell of each column."""

    def __init__(self, policy: Policy, rows: int) -> None:
        self._policy = policy
        self.values = NO_LIMIT if policy.max_share >= 1 else int(policy.max_share * rows)
        most = float("inf") if policy.budget is None else policy.budget * rows
        if rows == 0:  # there is nothing to tell
            self.values, most = NO_LIMIT, float("inf")
        self.numbers = NO_LIMIT if most >= NO_LIMIT else int(most)

    @property
    def counts(self) -> bool:
        """Whether there is a limit at all."""
        return self.values < NO_LIMIT or self.numbers < NO_LIMIT

    def check(self, account: Account, charges: Sequence[Charge]) -> Refusal | None:
        """Check that charges can be afforded; what is known already costs nothing."""
        values, numbers = self.over(account, charges)
        if values:
            limit = (
                f"shows at most {self._policy.max_share:.0%} of a column's cells in all answers "
                "together, and this would show more"
            )
            return Refusal("max_share of all answers", limit, min(values))
        if numbers:
            limit = (
                f"tells at most {self._policy.budget:.0%} as many numbers about a column as there "
                "are rows, in all answers together, and this would tell more"
            )
            return Refusal("budget", limit, min(numbers))
        return None

    def over(self, account: Account, charges: Sequence[Charge]) -> tuple[set[str], set[str]]:
        """Return the columns of which too many values would be shown, and too many numbers told."""
        found = self._over(account, charges)
        if not any(found):
            return found
        return self._over(account, [charge for charge in charges if not account.knows(charge.key)])

    def _over(self, account: Account, charges: Sequence[Charge]) -> tuple[set[str], set[str]]:
        values: Counter[str] = Counter()
        numbers: Counter[str] = Counter()
        for charge in {c.key: c for c in charges}.values():
            values[charge.column] += charge.values
            numbers[charge.column] += charge.numbers
        spent = {column: account.spent(column) for column in values}
        return (
            {c for c, n in values.items() if n and spent[c].values + n > self.values},
            {c for c, n in numbers.items() if n and spent[c].numbers + n > self.numbers},
        )


def charges_of(
    statistic: Statistic[Summary, object],
    summary: Summary,
    sources: Sources,
    also: Sequence[str],
    made: bytes = b"",
) -> tuple[Charge, ...]:
    """Return what an answer tells about each of a client's own columns.

    ``sources`` are those that each column of the table is made of; ``also`` are further columns that
    were read, such as the target and weights: each number is about these, too. ``made`` says how the table
    is made. Any answer tells at least a number of what it is about: a yes or no. Of what only the level ROWS shows, nothing is
    counted: whoever allows that shows rows.
    """
    if statistic.disclosure == Disclosure.ROWS:
        return ()
    width = len(sources)
    sources = tuple(s if statistic.is_about(j) else frozenset() for j, s in enumerate(sources))
    told, shown = summary.told(width), summary.retained()
    if shown.shape != told.shape:
        shown = np.zeros(width, dtype=np.int64)
    values: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    for names, some, more in zip(sources, shown.tolist(), told.tolist(), strict=True):
        for name in (*names, *also):
            values[name] += some
            numbers[name] += more
    keys = _keys(statistic, summary, sources, also, made)
    return tuple(
        Charge(name, values[name], numbers[name] if values[name] else max(numbers[name], 1), key)
        for name, key in keys.items()
    )


def _keys(
    statistic: Statistic[Summary, object],
    summary: Summary,
    sources: Sources,
    also: Sequence[str],
    made: bytes,
) -> dict[str, str]:
    """Return for each column what identifies what is told of it: the question and the answer."""
    question = encode_part(statistic) + made
    width = len(sources)
    alone = summary.width == width and not statistic.multiplies and width <= _ONE_BY_ONE
    parts: dict[str, list[bytes]] = {}
    if alone and not also:
        for part, names in zip(_of_columns(summary, width), sources, strict=True):
            for name in names:
                parts.setdefault(name, []).append(part)
    else:
        whole = encode_part((summary, [sorted(names) for names in sources]))
        parts = {name: [whole] for name in (*frozenset[str]().union(*sources), *also)}
    return {
        name: _digest(b"\0".join([name.encode(), question, *each])) for name, each in parts.items()
    }


def _of_columns(summary: Summary, width: int) -> Iterator[bytes]:
    """Yield what a summary says of each column, and of all of them together."""
    shared: list[bytes] = []
    own: list[list[bytes]] = []
    for field in structs.astuple(summary):
        if isinstance(field, np.ndarray) and field.ndim and field.shape[-1] == width:
            own.append([_as_bytes(field[..., j]) for j in range(width)])
        elif isinstance(field, tuple | Ragged) and len(field) == width:
            own.append([_as_bytes(each) for each in field])
        else:
            shared.append(_as_bytes(field))
    for j in range(width):
        yield b"\0".join([*shared, *(each[j] for each in own)])


def _as_bytes(value: Any) -> bytes:
    plain = isinstance(value, np.ndarray | np.generic) and value.dtype != object
    return value.tobytes() if plain else encode_part(value)


def failed(
    statistic: Statistic[Summary, object], rule: str, columns: Sequence[str], made: bytes = b""
) -> tuple[Charge, ...]:
    """Return what a failed answer tells: that it failed is a number about each column."""
    return told_by(encode_part((statistic, rule, made)), columns)


def told_by(what: bytes, columns: Sequence[str]) -> tuple[Charge, ...]:
    """Return a charge of a number for each column."""
    return tuple(
        Charge(name, 0, 1, _digest(name.encode() + what)) for name in dict.fromkeys(columns)
    )


def _digest(what: bytes) -> str:
    return sha256(what).hexdigest()[:16]  # twice as fast as blake2b where processors have it

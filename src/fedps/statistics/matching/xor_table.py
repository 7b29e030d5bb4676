"""XorTable: values under tags, from which nobody can tell which tags it holds.

A tag names three slots, one in each third of the table, and its value is the exclusive or of what stands
there. Tags that were never put in give a value, too, and it looks as random as any other: so who looks up
all tags of one owner in another's table learns nothing about those that only one of both has.

The slots are filled in the reverse of an order in which each tag has a slot of its own: such an order is
found by taking out tags that are alone in a slot, again and again, all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array

TAG_WORDS, WORDS = 2, 3  # of 64 bits in a tag, and in a value
_ROOM = 1.23  # slots for each tag: with fewer, an order is rarely found
_MORE = 11  # slots in each third, for tables of few tags
_TRIES = 1000  # each fails for one table in some, the more rarely the larger it is


class XorTable(NamedTuple):
    """The slots of a table, and with which number its tags were spread over them."""

    seed: int
    slots: Array  # (size_for(n), WORDS) of uint64

    def look_up(self, tags: Array) -> Array:
        """Return the value of each tag; one that looks random for a tag that is not there."""
        first, second, third = _places(tags, self.seed, len(self.slots)).T
        return np.asarray(self.slots[first] ^ self.slots[second] ^ self.slots[third])


def size_for(tags: int) -> int:
    """Return how many slots a table of so many tags has."""
    return 3 * (int(np.ceil(_ROOM * tags / 3)) + _MORE)


def xor_table(tags: Array, values: Array, fill: Callable[[int], Array]) -> XorTable:
    """Return a table of values under tags.

    Parameters
    ----------
    tags : array of uint64, (n, 2)
        Random numbers, all different.
    values : array of uint64, (n, WORDS)
        Their values, which look random.
    fill : callable
        Returns so many random slots: some are needed by no tag.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> def draw(rows, columns):
    ...     return random.integers(0, 2**64, (rows, columns), dtype=np.uint64)
    >>> tags, values = draw(100, 2), draw(100, 3)
    >>> table = xor_table(tags, values, lambda slots: draw(slots, 3))
    >>> bool((table.look_up(tags) == values).all()), len(table.slots)
    (True, 156)
    """
    size = size_for(len(tags))
    for seed in range(_TRIES):
        places = _places(tags, seed, size)
        order = _order(places, size)
        if order is not None:
            return XorTable(seed, _filled(places, order, values, fill(size)))
    raise ValueError("tags are not all different")


def _filled(places: Array, order: list[tuple[Array, Array]], values: Array, slots: Array) -> Array:
    """Return slots in which each tag finds its value."""
    slots = slots.copy()
    for tags, own in reversed(order):
        others = np.where(places[tags] == own[:, None], -1, places[tags])
        slots[own] = values[tags]
        for column in others.T:
            rest = column >= 0
            slots[own[rest]] ^= slots[column[rest]]
    return slots


def _order(places: Array, size: int) -> list[tuple[Array, Array]] | None:
    """Return in which order tags can be taken out, each with a slot that is then only its own."""
    there = np.bincount(places.ravel(), minlength=size)
    # what tags are in a slot, combined: if there is one, it is that
    which = np.zeros(size, dtype=np.int64)
    np.bitwise_xor.at(which, places.ravel(), np.repeat(np.arange(len(places)), 3))
    order, left = [], len(places)
    while left:
        alone = np.flatnonzero(there == 1)
        tags, first = np.unique(which[alone], return_index=True)
        if not len(tags):
            return None
        order.append((tags, alone[first]))
        left -= len(tags)
        gone = places[tags].ravel()
        there -= np.bincount(gone, minlength=size)
        np.bitwise_xor.at(which, gone, np.repeat(tags, 3))
    return order


def _places(tags: Array, seed: int, size: int) -> Array:
    """Return the three slots of each tag, one in each third of the table."""
    third = np.uint64(size // 3)
    low, high = tags[:, 0], tags[:, 1]
    step = np.uint64(seed)
    spread = [_mixed(low + step), _mixed(high + step), _mixed((low ^ ~high) + step)]
    return np.stack([(x % third + np.uint64(i) * third) for i, x in enumerate(spread)], 1).astype(
        np.int64
    )


def _mixed(words: Array) -> Array:
    """Return words of 64 bits, mixed: neighbouring ones are far apart afterwards."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))

"""Rounds of a server that means harm: any tree of lists that is a message, made from honest ones.

A round is ``[number, tells, asks, after, request]``, an ask ``[place, question, free, columns, given]``.
"""

from __future__ import annotations

import random
from contextlib import suppress
from copy import deepcopy
from typing import Any

import numpy as np

from fedps.protocol.packing.arrays import Budget, pack, unpack
from tests.attacks.honest_talks import Talk
from tests.scripts.mutations import change_tree, odd_value, places_in
from tests.scripts.wire import ARRAY, Ext

NUMBER, TELLS, ASKS, AFTER, REQUEST = range(5)
PLACE, QUESTION, FREE, COLUMNS, GIVEN = range(5)


class Words:
    """All that honest servers said, to be said elsewhere."""

    def __init__(self, talks: list[Talk]) -> None:
        self.asks: list[Any] = []
        self.tells: list[Any] = []
        self.requests: list[Any] = []
        self.free: dict[str, list[Any]] = {}
        self.own_asks: dict[Any, list[Any]] = {}
        self.own_tells: dict[Any, list[Any]] = {}
        for talk in talks:
            for round_, kinds in zip(talk.rounds, talk.kinds, strict=True):
                self.tells += round_[TELLS]
                self.own_tells.setdefault(talk.what, []).extend(round_[TELLS])
                self.asks += round_[ASKS]
                self.own_asks.setdefault(talk.what, []).extend(round_[ASKS])
                if round_[REQUEST] is not None:
                    self.requests.append(round_[REQUEST])
                for ask, kind in zip(round_[ASKS], kinds, strict=False):
                    self.free.setdefault(kind, []).append(ask[FREE])


class Speaker:
    """Says hostile rounds in one fit.

    Parameters
    ----------
    talk : Talk
        The honest fit that it departs from.
    words : Words
        What else could be said.
    rng : random.Random
        What it chooses by.
    """

    def __init__(self, talk: Talk, words: Words, rng: random.Random) -> None:
        self.talk, self.words, self.rng = talk, words, rng
        self.kinds: list[str] = []

    def round(self, number: int) -> Any:
        """Return a round that is not the honest one, though it may be like it."""
        rng = self.rng
        known = number < len(self.talk.rounds)
        said = self.talk.rounds[number] if known else [number + 1, [], [], b"", None]
        round_ = deepcopy(said)
        self.kinds = [*self.talk.kinds[number]] if known else []
        if not round_[ASKS] or rng.random() < 0.3:
            self.more_asks(round_)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            (change,) = rng.choices(CHANGES, WEIGHTS)
            with suppress(TypeError, IndexError, AttributeError):  # it is no round any more
                change(self, round_)
        return round_

    # asks

    def an_ask(self, round_: Any) -> Any:
        return self.rng.choice(round_[ASKS]) if round_[ASKS] else [0, 0, [], None, None]

    def more_asks(self, round_: Any) -> None:
        """Ask what honest plans of this pipeline ask, now."""
        own = self.words.own_asks.get(self.talk.what) or [[0, 0, [], None, None]]
        round_[ASKS] += deepcopy(self.rng.choices(own, k=self.rng.choice((1, 1, 2, 4))))

    def foreign_asks(self, round_: Any) -> None:
        round_[ASKS] += deepcopy(self.rng.choices(self.words.asks, k=self.rng.choice((1, 2))))

    def fewer_asks(self, round_: Any) -> None:
        if round_[ASKS]:
            del round_[ASKS][self.rng.randrange(len(round_[ASKS]))]

    def other_place(self, round_: Any) -> None:
        self.an_ask(round_)[PLACE] = self.rng.choice((0, 1, 1, 2, 2, 3, 4, 7, 999))

    def other_question(self, round_: Any) -> None:
        self.an_ask(round_)[QUESTION] = self.rng.choice((*range(8), 9, 11, 100_000))

    def any_question(self, round_: Any) -> None:
        """Ask a question by its number alone, with free numbers from anywhere."""
        free = self.rng.choice(self.words.asks)[FREE] if self.rng.random() < 0.6 else []
        place, question = self.rng.randrange(4), self.rng.randrange(8)
        round_[ASKS].append([place, question, deepcopy(free), self.some_columns(), None])

    def other_free(self, round_: Any) -> None:
        """Take free numbers from another ask, of the same kind where that is known."""
        ask = self.an_ask(round_)
        at = next((i for i, one in enumerate(round_[ASKS]) if one is ask), 0)
        kind = self.kinds[at] if at < len(self.kinds) else self.rng.choice([*self.words.free])
        ask[FREE] = deepcopy(self.rng.choice(self.words.free[kind]))

    def near_free(self, round_: Any) -> None:
        ask = self.an_ask(round_)
        ask[FREE] = self.moved(ask[FREE])

    def many_near(self, round_: Any) -> None:
        """Ask the same many times, each time with other numbers."""
        ask = self.an_ask(round_)
        times = self.rng.choice((2, 3, 5, 9, 20, 70))
        round_[ASKS] += [[*ask[:FREE], self.moved(ask[FREE]), *ask[COLUMNS:]] for _ in range(times)]

    def mutate_free(self, round_: Any) -> None:
        ask = self.an_ask(round_)
        holder = [ask[FREE]]
        change_tree(holder, self.rng, self.rng.choice(self.words.asks))
        ask[FREE] = holder[0]

    def grow_free(self, round_: Any) -> None:
        """Repeat the rows of an array, or the items of a list."""
        ask = self.an_ask(round_)
        spots = [(a, k) for a, k in places_in([ask[FREE]]) if isinstance(a[k], Ext | list)]
        if not spots:
            return
        above, key = self.rng.choice(spots[1:] or spots)
        value, times = above[key], self.rng.choice((2, 2, 3, 10, 400))
        if isinstance(value, list):
            above[key] = (value * times)[:20_000]
        else:
            above[key] = with_cells(value, lambda cells: repeated(cells, times))

    def other_columns(self, round_: Any) -> None:
        self.an_ask(round_)[COLUMNS] = self.some_columns()

    def each_column(self, round_: Any) -> None:
        ask = self.an_ask(round_)
        round_[ASKS] += [[*ask[:COLUMNS], [i], ask[GIVEN]] for i in range(self.rng.choice((2, 4)))]

    def some_columns(self) -> Any:
        return self.rng.choice((None, None, [0], [1], [0, 1], [0, 1, 2], [2, 1], [0, 0], [19], []))

    def same_again(self, round_: Any) -> None:
        times = self.rng.choice((1, 1, 2, 10)) if self.rng.random() < 0.99 else 3000
        round_[ASKS] += [self.an_ask(round_)] * times

    def shuffled(self, round_: Any) -> None:
        self.rng.shuffle(round_[ASKS])
        self.rng.shuffle(round_[TELLS])

    def mutated_ask(self, round_: Any) -> None:
        change_tree(round_[ASKS], self.rng, self.rng.choice(self.words.asks))

    # tells

    def more_tells(self, round_: Any) -> None:
        own = self.words.own_tells.get(self.talk.what)
        if own:
            round_[TELLS] += deepcopy(self.rng.choices(own, k=self.rng.choice((1, 1, 2))))

    def foreign_tell(self, round_: Any) -> None:
        round_[TELLS].append(deepcopy(self.rng.choice(self.words.tells)))

    def fewer_tells(self, round_: Any) -> None:
        round_[TELLS] = round_[TELLS][1:]

    def moved_tell(self, round_: Any) -> None:
        """Tell other numbers, at the same place or another."""
        if not round_[TELLS]:
            self.more_tells(round_)
        if round_[TELLS]:
            tell = self.rng.choice(round_[TELLS])
            if self.rng.random() < 0.3 and len(tell) > 1:
                tell[1] = self.rng.choice((0, 1, 2, 3, 5))
            else:
                tell[1:] = self.moved(tell[1:])

    def mutated_tell(self, round_: Any) -> None:
        if not round_[TELLS]:
            self.more_tells(round_)
        change_tree(round_[TELLS], self.rng, self.rng.choice(self.words.tells))

    def an_among(self, round_: Any) -> None:
        start, rows = self.rng.choice(((0, 1000), (0, 1160), (70, 1160), (160, 1160), (0, 10**6)))
        if self.rng.random() < 0.2:
            start, rows = self.rng.choice(((2**53, 2**53), (0, 2**26), (5, 4), (0, 2**22)))
        told = [tell for tell in round_[TELLS] if tell[0] == "among"]
        if told:  # it is told once
            told[0][2:4] = [start, rows]
            return
        known = [tell for tell in self.words.tells if tell[0] == "among"]
        tell = deepcopy(self.rng.choice(known))
        tell[1:4] = [self.rng.choice((1, 1, 1, 2, 0)), start, rows]
        if self.rng.random() < 0.2:
            tell[-1] = packed((np.arange(1000) < self.rng.choice((1, 20, 500))).astype(np.int64))
        round_[TELLS].append(tell)

    def an_order(self, round_: Any) -> None:
        names = [*self.talk.names]
        self.rng.shuffle(names)
        if self.rng.random() < 0.3:
            names[0] = self.rng.choice((names[1], "nobody", 7))
        round_[TELLS].append(["order", names])

    def odd_tell(self, round_: Any) -> None:
        cells = self.rng.choice(([], [0.5], [0, 1, 2], [[1.0, 2.0]]))
        odd = (["keep"], ["beside", 0, 20], ["beside", 3, 4], ["given", 1, packed(cells)])
        round_[TELLS].append(deepcopy(self.rng.choice(odd)))
        if self.rng.random() < 0.5:
            self.an_ask(round_)[GIVEN] = self.rng.choice((1, 1, 2, None))

    # rounds

    def request_again(self, round_: Any) -> None:
        round_[REQUEST] = deepcopy(self.rng.choice(self.words.requests))

    def other_mark(self, round_: Any) -> None:
        round_[AFTER] = self.rng.choice((b"", b"abcd", b"a"))

    def other_number(self, round_: Any) -> None:
        round_[NUMBER] = self.rng.choice((1, 2, 2**31, 0))

    def mutated_round(self, round_: Any) -> None:
        change_tree(round_, self.rng, self.rng.choice(self.talk.rounds))

    def very_large(self, round_: Any) -> None:
        """Say much: an array of up to 8 MB, or very many asks."""
        kind = self.rng.randrange(4)
        if kind == 0:
            many = self.rng.choice((1000, 16_000, 90_000))
            round_[ASKS] += [self.an_ask(round_)] * many
        elif kind == 1:
            cells = np.zeros((self.rng.choice((10**4, 3 * 10**5)), self.rng.choice((1, 3))))
            self.an_ask(round_)[FREE] = [packed(cells), *self.an_ask(round_)[FREE][1:]]
        elif kind == 2:
            ask = self.an_ask(round_)
            round_[ASKS] += [[*ask[:FREE], self.moved(ask[FREE]), *ask[3:]] for _ in range(1500)]
        else:
            self.an_ask(round_)[COLUMNS] = [*range(self.rng.choice((20, 1000, 200_000)))]

    def moved(self, tree: Any) -> Any:
        """Return a copy in which some numbers are others, and all else is as it was."""
        found = deepcopy(tree)
        for above, key in places_in([found])[1:]:
            value = above[key]
            if isinstance(value, Ext) and value.code == ARRAY:
                above[key] = with_cells(value, self.moved_cells)
            elif isinstance(value, float) and self.rng.random() < 0.5:
                above[key] = value * self.rng.choice((0.5, 0.99, 1.01, -1.0)) + self.rng.gauss(0, 1)
            elif type(value) is int and self.rng.random() < 0.2:
                above[key] = max(value + self.rng.choice((-1, 1, 1, 5)), 0)
            elif isinstance(value, str) and self.rng.random() < 0.05:
                above[key] = self.rng.choice(("Fulda", "yes", "w07", "labels", "numbers"))
        return found

    def moved_cells(self, cells: Any) -> Any:
        noise = np.random.default_rng(self.rng.randrange(2**32))
        if cells.dtype.kind == "f":
            scale = self.rng.choice((1e-9, 1e-3, 1.0, 100.0))
            return cells + noise.normal(0, scale, cells.shape).astype(cells.dtype)
        if cells.dtype.kind in "iu" and cells.size and self.rng.random() < 0.5:
            return cells + noise.integers(0, 3, cells.shape).astype(cells.dtype)
        return cells


def packed(cells: Any) -> Ext:
    return Ext(ARRAY, pack(np.asarray(cells)))


def repeated(cells: Any, times: int) -> Any:
    """Return an array with each of its rows several times, unless that is very much."""
    return np.concatenate([cells] * times) if cells.ndim and cells.size * times < 10**6 else cells


def with_cells(array: Ext, change: Any) -> Ext:
    """Return an array with other cells, or as it is if it cannot be read."""
    try:
        return packed(change(unpack(array.data, Budget())))
    except (ValueError, TypeError):
        return array


def other_request(request: Any, words: Words, rng: random.Random) -> Any:
    """Return a request that was not approved, or another one that was."""
    other = deepcopy(request)
    if rng.random() < 0.1:
        return deepcopy(rng.choice(words.requests))
    for _ in range(rng.choice((1, 1, 2))):
        change_tree(other, rng, rng.choice(words.requests))
    return other if rng.random() < 0.95 else odd_value(rng)


S = Speaker
CHANGES, WEIGHTS = zip(
    (S.more_asks, 4), (S.foreign_asks, 2), (S.fewer_asks, 2), (S.other_place, 3),
    (S.other_question, 3), (S.any_question, 4), (S.other_free, 6), (S.near_free, 14),
    (S.many_near, 8), (S.mutate_free, 5), (S.grow_free, 4), (S.other_columns, 4),
    (S.each_column, 3), (S.same_again, 4), (S.shuffled, 2), (S.mutated_ask, 2),
    (S.more_tells, 3), (S.foreign_tell, 2), (S.fewer_tells, 2), (S.moved_tell, 7),
    (S.mutated_tell, 4), (S.an_among, 4), (S.an_order, 3), (S.odd_tell, 3),
    (S.request_again, 1), (S.other_mark, 1), (S.other_number, 1), (S.mutated_round, 2),
    (S.very_large, 0.2),
    strict=True,
)  # fmt: skip

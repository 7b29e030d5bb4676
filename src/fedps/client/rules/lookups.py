"""Lookups: what is looked at inside of a pipeline, since a later sum may be about a few rows.

A code for each town, times an income: all products differ, and their sum still tells one person's income.
So the table that is asked about is not all that is looked at: the numbers that came into estimators on the
way there are, and what encoders told apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, TargetEncoder

from fedps.client.block import TableBlock
from fedps.client.rules.odd_cells import OddCells
from fedps.client.rules.sources import leaves_of
from fedps.client.tables import Chunk
from fedps.protocol.messages import Refusal
from fedps.statistics import BadCells
from fedps.statistics.base import Array

ENCODERS = (KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, TargetEncoder)
Own = frozenset[str]  # columns of the client's own
Whose = Callable[[Chunk], Array | None]  # whose each row is, where cells count by that


class Lookups:
    """What goes through the estimators inside of a fitted one.

    Parameters
    ----------
    fitted : estimator
        A fitted estimator. What is inside of it is made to tell what it transforms.
    before : sequence of frozenset of str
        The client's own columns that each column of its input is made of.
    least : int
        The fewest cells that may differ from the others. 0: nothing is looked at.
    whose : callable
        Gives whose the rows of a chunk are.
    """

    def __init__(self, fitted: Any, before: Sequence[Own], least: int, whose: Whose) -> None:
        self._least = least
        self._whose = whose
        self._parts: list[_Inside] = []
        for leaf, sources, frozen in leaves_of(fitted, before) if least > 0 else ():
            if isinstance(leaf, OneToOneFeatureMixin) and not isinstance(leaf, ENCODERS):
                continue  # cells that stand out do so behind it, too
            part = _Codes(least, sources) if isinstance(leaf, ENCODERS) else _Cells(least, sources)
            part.is_frozen = frozen
            self._parts.append(part)
            leaf.transform = partial(_seen, part, leaf, vars(leaf).get("transform"))

    def begin(self, chunk: Chunk) -> None:
        """Say of which chunk the rows are that are transformed next; with the first, begin anew."""
        units = self._whose(chunk) if self._parts else None
        for part in self._parts:
            part.begin(chunk, units)

    def problem(self, asked: Sequence[Own]) -> Refusal | None:
        """Return why sums over columns that are made of some of the client's own are refused, if so."""
        for part in self._parts:
            for own in part.few():
                if any(part.matters(own, whole) for whole in asked):
                    return Refusal("min_count", part.limit, min(own) if len(own) == 1 else None)
        return None


class _Inside:
    """What one estimator inside of a pipeline gets, or makes."""

    limit = ""

    def __init__(self, least: int, sources: Sequence[Own] | Own) -> None:
        self.least = least
        self.is_frozen = False
        self._sources = sources
        self._chunk: Any = None
        self._units: Array | None = None

    def __deepcopy__(self, _: Any) -> _Inside:
        return self  # a copy of the estimator tells the same

    def begin(self, chunk: Chunk, units: Array | None) -> None:
        if chunk.start == 0:
            self.reset()
        self._chunk, self._units = chunk, units

    def own(self, position: int) -> Own:
        if isinstance(self._sources, frozenset) or position >= len(self._sources):
            return frozenset[str]().union(*self._sources) if self._sources else frozenset()
        return self._sources[position]

    def reset(self) -> None:
        raise NotImplementedError

    def see(self, leaf: Any, rows: Any, made: Any) -> None:
        raise NotImplementedError

    def few(self) -> list[Own]:
        """Return the sources of columns in which a few cells stand out."""
        raise NotImplementedError

    def matters(self, own: Own, asked: Own) -> bool:
        """Whether a column of which a few cells stand out may not be in a sum."""
        raise NotImplementedError


class _Cells(_Inside):
    """Numbers that come into an estimator: the cells that differ from the most frequent value."""

    def __init__(self, least: int, sources: Sequence[Own] | Own) -> None:
        super().__init__(least, sources)
        self.limit = f"needs {least} cells that differ from a column's most frequent value, or none"
        self.reset()

    def reset(self) -> None:
        self._odd = OddCells(self.least)

    def see(self, leaf: Any, rows: Any, made: Any) -> None:
        try:
            self._odd.add(TableBlock(rows, self._chunk), self._units)
        except BadCells:
            self.reset()  # texts: no sums are made of them

    def few(self) -> list[Own]:
        return [self.own(j) for j in self._odd.few]

    def matters(self, own: Own, asked: Own) -> bool:
        return own <= asked


class _Codes(_Inside):
    """What an encoder makes of each column: how many rows come out alike."""

    def __init__(self, least: int, sources: Sequence[Own] | Own) -> None:
        super().__init__(least, sources)
        self.limit = f"needs {least} rows of each category, or none, where sums are by category"
        self.reset()

    def reset(self) -> None:
        self._rows: dict[int, Counter[float]] = defaultdict(Counter)
        self._people: dict[int, dict[float, set[int]]] = defaultdict(lambda: defaultdict(set))

    def see(self, leaf: Any, rows: Any, made: Any) -> None:
        for j, codes in enumerate(_codes(leaf, rows, made)):
            found, at = np.unique(codes, return_inverse=True)
            if self._units is None:
                self._rows[j].update(
                    dict(zip(found.tolist(), np.bincount(at).tolist(), strict=True))
                )
                continue
            both = np.unique(np.stack([at.ravel(), self._units]), axis=1)
            for code, unit in both.T.tolist():
                self._people[j][found[code]].add(unit)

    def few(self) -> list[Own]:
        sizes = {j: list(each.values()) for j, each in self._rows.items()}
        sizes |= {j: [len(p) for p in each.values()] for j, each in self._people.items()}
        return [self.own(j) for j, some in sizes.items() if min(some, default=0) < self.least]

    def matters(self, own: Own, asked: Own) -> bool:
        # learned codes of one column tell little; those that a user chose, or products, tell one row
        return own < asked or (self.is_frozen and own <= asked)


def _seen(part: _Inside, leaf: Any, own: Callable[[Any], Any] | None, rows: Any) -> Any:
    # its class may be another one by now
    made = type(leaf).transform(leaf, rows) if own is None else own(rows)
    if made.shape[0]:
        part.see(leaf, rows, made)
    return made


def _codes(leaf: Any, rows: Any, made: Any) -> list[Array]:
    """Return for each column that an encoder gets a number for each row: equal where it puts out the same."""
    if isinstance(leaf, TargetEncoder) and hasattr(leaf, "_fold_means"):
        made = TargetEncoder.transform(leaf, rows)  # by category, whatever the folds
    made = made if hasattr(made, "indptr") else np.asarray(made)
    width = int(leaf.n_features_in_)
    sizes = [made.shape[1] // max(width, 1)] * width
    if isinstance(leaf, OneHotEncoder):
        sizes = list(leaf._n_features_outs)  # noqa: SLF001 - by column, drops included
    elif isinstance(leaf, KBinsDiscretizer) and leaf.encode != "ordinal":
        sizes = list(leaf.n_bins_)
    ends = np.cumsum([0, *sizes])
    return [_one_number(made[:, a:b]) for a, b in pairwise(ends)]


def _one_number(columns: Any) -> Array:
    """Return a number for each row that is equal where the row is."""
    weights = np.random.default_rng(0).uniform(1.0, 2.0, columns.shape[1])
    if columns.shape[1] == 1:
        weights[:] = 1.0
    codes = columns @ weights if hasattr(columns, "indptr") else np.nan_to_num(columns) @ weights
    return np.asarray(codes).ravel().round(9)

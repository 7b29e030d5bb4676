"""TargetEncoder: one round, and a second where its cross-fitted output is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from msgspec import structs
from sklearn.preprocessing import TargetEncoder

from fedps.draws.folds import Folded, LabelTurns, draw_folds, warn_of_deprecated
from fedps.draws.pooled_rows import check_pooled
from fedps.errors import NotFederated, UsageError
from fedps.learned import Learned, PerRow
from fedps.learned.encoders import TargetEncoderNumbers
from fedps.plans.rows.encoders import listed
from fedps.plans.shared.frequent import shown_name
from fedps.plans.shared.parameters import learned
from fedps.plans.shared.rare_values import stop_if_none_named
from fedps.plans.shared.warned import warn_of_many
from fedps.protocol.messages import Among
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions import FOLDS, INPUT
from fedps.questions.encoders import given_categories, kind_of_target
from fedps.statistics import ByCategory, ByKnown, Categories, Distinct, Turns
from fedps.statistics.base import Array
from fedps.statistics.categories.sent_cells import as_found, as_sent
from fedps.statistics.sums.moments import Mean
from fedps.statistics.target.labels import coded
from fedps.statistics.target.target_cells import BesideColumn, OfTarget

# they say how rows are divided while fitting, and nothing of a transform
ONLY_FOR_FOLDS = ("cv", "shuffle", "random_state")


class CategoryRows(NamedTuple):
    """The target beside some categories: how many rows, their sum, and their squared deviations."""

    rows: Array
    total: Array
    spread: Array


def target_encoder(encoder: Any, view: View) -> Plan[Learned]:
    """Learn how the target is spread over categories; again without each fold, if that is used."""
    squares = isinstance(encoder.smooth, str)
    given = given_categories(encoder)
    if view.used:
        asked = yield from _with_folds(encoder, view, given, squares=squares)
    else:
        asked = yield from _without_folds(encoder, view, given, squares=squares)
    found, categories = asked.found, asked.categories
    if encoder.target_type == "auto" and found.labels is not None:
        warn_of_many(len(found.labels), view.rows)
    whole, *each = _learn(encoder, found, _kind(encoder, found), categories)
    folded, outputs = asked.folded, zip(*(one.encodings for one in each), strict=True)
    numbers = TargetEncoderNumbers(
        folds=None if folded is None else PerRow(folded.folds),
        grouped=None if folded is None else folded.grouped,
        fold_encodings=[np.array(column) for column in outputs] if each else None,
        fold_means=np.array([one.mean for one in each]) if each else None,
        categories=[_objects(column) for column in categories],
        encodings=whole.encodings,
        mean=whole.mean,
        classes=None if found.labels is None else _objects(found.labels.tolist()),
        target=asked.kinds,
    )
    return learned(encoder, numbers, without=ONLY_FOR_FOLDS)


class _Asked(NamedTuple):
    """What the clients said of the target beside each category."""

    found: OfTarget
    categories: tuple[tuple[Any, ...], ...]
    kinds: list[str]
    folded: Folded | None = None


GivenCategories = tuple[tuple[Any, ...], ...] | None


def _without_folds(
    encoder: Any, view: View, given: GivenCategories, *, squares: bool
) -> Plan[_Asked]:
    """Ask for the target beside the categories of all rows: one round."""
    wanted = kind_of_target(encoder)
    statistic: Any = ByCategory(wanted, squares)
    if given is not None:
        statistic = ByKnown(given, wanted, squares, others=counts_unknown())
    found: OfTarget = yield from ask(statistic, view)
    _say_rare(view, found)
    categories = given or _listed(column.categories for column in found.columns)
    stop_if_none_named(view, categories)
    return _Asked(found, categories, found.kinds)


def _with_folds(encoder: Any, view: View, given: GivenCategories, *, squares: bool) -> Plan[_Asked]:
    """Ask for categories and classes first, and for the target beside them in each fold then."""
    warn_of_deprecated(encoder)
    plans: list[Plan[Any]] = [ask(Turns(kind_of_target(encoder)), view.target)]
    if given is None:
        plans.append(ask(Categories(), view))
    turns, *columns = yield from gather(plans)
    categories = given or _listed(columns[0])
    stop_if_none_named(view, categories)
    for position, column in enumerate(categories):
        if isinstance(column, np.ndarray):
            raise NotFederated(
                f"TargetEncoder takes times, as in column {shown_name(view, position)}, only where its "
                "cross-fitted output is not used. Write them as text there: column.astype(str)."
            )
    labels = None if turns.clients is None else _classes(turns.clients)
    told = sum(int(counts.sum()) for _, counts in turns.clients or ())
    assert turns.clients is None or told in (0, view.rows)  # each row has a label; 0 in a rehearsal
    if view.pooled.remote:
        check_pooled(
            view.pooled.heights, "Put the TargetEncoder last and call fit, which draws no folds"
        )
    folded = draw_folds(encoder, turns.clients, view.rows)
    among = _among(folded, turns.clients, view)
    found = yield from _ask_folds(
        view.fold(among), categories, labels, folded, squares=squares, given=given is not None
    )
    return _Asked(found, categories, turns.kinds, folded)


def _say_rare(view: View, found: OfTarget) -> None:
    """Say how many rows are left out, because their categories, or labels beside them, are rare."""
    for position in view.limited("min_count", "max_share"):
        beside = found.columns[position]
        if beside.counts is not None:
            shown = int(beside.counts.sum())
        else:
            shown = int(beside.sums[0].count.sum())
        text = (
            f"{view.rows - shown} of {view.rows} rows are left out of the encodings; categories that are "
            "not named are encoded as target_mean_"
        )
        view.bound(position, text)


def _classes(turns: Sequence[LabelTurns]) -> Array:
    """Return the labels of all clients, sorted."""
    return coded(np.concatenate([labels for labels, _ in turns] or [np.arange(2)]))[0]


def _among(folded: Folded, turns: Sequence[LabelTurns] | None, view: View) -> list[Among]:
    """Return what each client is told to draw the folds of its own rows."""
    heights = view.pooled.heights
    starts = [int(start) for start in np.cumsum([0, *heights])]
    if folded.listed:
        each = np.split(folded.folds, starts[1:-1])
        pairs = zip(starts, each, strict=False)
        return [Among(0, start, view.rows, folds=folds) for start, folds in pairs]
    alike = [Among(0, start, view.rows, folded.state) for start in starts[:-1]]
    if not folded.grouped or not turns:
        return alike
    every = dict.fromkeys(label for labels, _ in turns for label in labels.tolist())
    place = {label: i for i, label in enumerate(every)}
    seen, found = np.zeros(len(place), dtype=np.int64), []
    with_rows = iter(turns)  # clients without rows have no turns
    for among, height in zip(alike, heights, strict=True):
        labels, counts = next(with_rows) if height else (np.empty(0), np.empty(0, dtype=np.int64))
        own = np.array([place[label] for label in labels.tolist()], dtype=np.int64)
        found.append((among, own, seen[own]))
        seen = seen + np.bincount(own, counts, len(place)).astype(np.int64)
    return [
        structs.replace(among, classes=seen, own=own, before=before) for among, own, before in found
    ]


@cache
def counts_unknown() -> bool:
    """Whether the installed scikit-learn counts cells of unknown categories as the first one's.

    Up to 1.9 it does, while it fits: such cells stand in for a moment with the first category's code.
    """
    encoder = TargetEncoder(categories=[["a", "b"]], target_type="continuous", smooth=0.0)
    encoder.fit(np.array([["?"], ["b"]], dtype=object), np.array([1.0, 3.0]))
    return bool(encoder.encodings_[0][0] == 1.0)


def _kind(encoder: Any, found: OfTarget) -> str:
    """Return what kind of target all clients have together, by scikit-learn's rules."""
    classes = 0 if found.labels is None else len(found.labels)
    if encoder.target_type == "multiclass" and classes == 2:
        raise UsageError(
            "TargetEncoder(target_type='multiclass') needs more than two classes, and the target has "
            "two. Use target_type='binary' or 'auto'."
        )
    if encoder.target_type != "auto":
        return str(encoder.target_type)
    if found.labels is None:
        return "continuous"
    return "binary" if classes <= 2 else "multiclass"


def _listed(columns: Iterable[Distinct]) -> tuple[Any, ...]:
    """Return the categories of each column: a tuple, or an array of times."""
    each = (listed(column) for column in columns)
    return tuple(c if c.dtype.kind in "mM" else tuple(map(as_sent, c.tolist())) for c in each)


class _Encoded(NamedTuple):
    """The encodings of each output column, and the mean of the target."""

    encodings: list[Array]
    mean: Any


def _learn(
    encoder: Any, found: OfTarget, kind: str, categories: tuple[tuple[Any, ...], ...]
) -> list[_Encoded]:
    """Return what all rows give and, where there are folds, what those outside of each give."""
    sizes = [len(column) for column in categories]
    if found.labels is None:
        lines = [
            _lines(b, len(b.sums[0].count), n) for b, n in zip(found.columns, sizes, strict=True)
        ]
        every = zip(found.overall.sums, *(beside.sums for beside in found.columns), strict=True)
        return [_of_sums(encoder, overall, sums, lines) for overall, *sums in every]
    values = _values(kind, len(found.labels))
    assert found.overall.counts is not None
    overall = found.overall.counts
    tables = [_table(b, overall, n) for b, n in zip(found.columns, sizes, strict=True)]
    folds = overall.shape[2] if overall.shape[2] > 1 else 0
    return [
        _of_counts(encoder, *_without(fold, overall, tables), values, kind)
        for fold in (None, *range(folds))
    ]


def _without(fold: int | None, overall: Array, tables: list[Array]) -> tuple[Array, list[Array]]:
    """Return counts of lines and labels, those of one fold taken away."""
    every = [table.sum(axis=2) for table in (overall, *tables)]
    if fold is not None:
        parts = (overall, *tables)
        every = [total - part[:, :, fold] for total, part in zip(every, parts, strict=True)]
    return every[0], every[1:]


def _lines(beside: BesideColumn, told: int, categories: int) -> Array:
    """Return which lines are categories: None and NaN only where there are such cells."""
    if told == categories:
        return np.arange(told)
    gaps = [beside.categories.none > 0, beside.categories.nan > 0]
    return np.flatnonzero([True] * len(beside.categories.values) + gaps)


def _table(beside: BesideColumn, overall: Array, categories: int) -> Array:
    """Return the counts of each category; the first is all rows less the others if it is not told."""
    counts = beside.counts
    assert counts is not None
    if len(counts) < categories:
        return np.concatenate([overall - counts.sum(axis=0, keepdims=True), counts])
    return np.asarray(counts[_lines(beside, len(counts), categories)])


def _values(kind: str, classes: int) -> Array:
    """Return what each class counts as, in a line for each number that is encoded."""
    if kind == "binary":
        return np.arange(classes)[None, :]
    # of a single class scikit-learn's indicator is 0
    return np.eye(classes, dtype=np.int64) if classes > 1 else np.zeros((1, classes), dtype=int)


def _of_counts(
    encoder: Any, overall: Array, tables: list[Array], values: Array, kind: str
) -> _Encoded:
    """Return encodings from counts of categories and classes: exact up to the last division."""
    everything = _groups(overall, values)
    encodings = [
        _encoding(encoder.smooth, group, all_rows)
        for table in tables
        for group, all_rows in zip(_groups(table, values), everything, strict=True)
    ]
    with np.errstate(invalid="ignore"):  # there are no rows in a rehearsal
        means = np.array([(all_rows.total / all_rows.rows)[0] for all_rows in everything])
    return _Encoded(encodings, means if kind == "multiclass" else float(means[0]))


def _groups(table: Array, values: Array) -> list[CategoryRows]:
    """Return count, sum and squared deviations of each encoded number in each line."""
    count = table.sum(axis=1)
    groups = []
    for line in values:
        total, squares = table @ line, table @ (line * line)
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = (count * squares - total * total) / count
        groups.append(CategoryRows(count, total, spread))
    return groups


def _of_sums(encoder: Any, overall: Mean, sums: Sequence[Mean], lines: list[Array]) -> _Encoded:
    """Return encodings from moments of the target beside each category."""
    all_rows = _moments(overall)
    encodings = [
        _encoding(encoder.smooth, CategoryRows(*(x[kept] for x in _moments(column))), all_rows)
        for column, kept in zip(sums, lines, strict=True)
    ]
    return _Encoded(encodings, float(overall.mean[0]))


def _moments(found: Mean) -> CategoryRows:
    count = found.count
    spread = np.zeros_like(count) if found.variance is None else found.variance * count
    return CategoryRows(count, np.where(count > 0, found.mean, 0.0) * count, spread)


def _encoding(smooth: Any, group: CategoryRows, overall: CategoryRows) -> Array:
    """Return scikit-learn's encoding of each category, step by step as it computes it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (overall.total / overall.rows)[0]
        if not isinstance(smooth, str):
            weight = smooth + group.rows
            found = (smooth * mean + group.total) / weight
            return np.asarray(np.where(weight == 0, mean, found))
        variance = (overall.spread / overall.rows)[0]
        share = variance * group.rows
        share = share / (share + group.spread / group.rows)
        found = share * (group.total / group.rows) + (1 - share) * mean
        return np.asarray(np.where(np.isnan(share), mean, found))


def _ask_folds(
    view: View,
    categories: tuple[tuple[Any, ...], ...],
    labels: Array | None,
    folded: Folded,
    *,
    squares: bool,
    given: bool,
) -> Plan[OfTarget]:
    """Ask for the spread of the target over the known categories in each fold."""
    # where clients do not name all categories, the first one must not stand for the others
    whole = replace(view, of=INPUT)
    others = (not given or counts_unknown()) and not whole.limited("min_count", "max_share")
    folds = folded.number
    if labels is None:
        statistic = ByKnown(categories, "numbers", squares, None, folds, others)
    else:
        # counts of the first category are those of all rows less those of the others
        asked = tuple(column[1:] for column in categories) if others else categories
        statistic = ByKnown(asked, "labels", squares, tuple(labels.tolist()), folds)
    found = yield from ask(statistic, view)
    if view.limited("min_count") and len(statistic.categories[0]) < len(categories[0]):
        # counts that are left out would be the first category's: ask for that one, too
        view.pooled.limited[:] = [one for one in view.pooled.limited if one.of != FOLDS]
        statistic = structs.replace(statistic, categories=categories)
        found = yield from ask(statistic, view)
    _say_rare(whole, found)
    _say_rare(view, found)
    return found


def _objects(items: Any) -> Array:
    if isinstance(items, np.ndarray):
        return items
    found = np.empty(len(items), dtype=object)
    found[:] = list(map(as_found, items))
    return found

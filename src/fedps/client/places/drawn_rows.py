"""Which of its own rows a client draws, and their folds: as scikit-learn would of the rows of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fedps.client.places.asked import Refuse
from fedps.client.places.row_folds import row_folds
from fedps.client.policy import Policy
from fedps.client.tables import Table
from fedps.client.tables.cells.target import plain_target
from fedps.client.work_limits import MOST_CLASSES
from fedps.draws.folds import LISTED, own_folds, own_folds_by_class
from fedps.draws.pooled_rows import most_pooled
from fedps.draws.samples import rows_drawn, times_drawn
from fedps.learned import Described
from fedps.protocol.messages import Among
from fedps.statistics import BadCells
from fedps.statistics.base import Array
from fedps.statistics.target.labels import by_turn

# which estimators draw rows, and whether they may draw a row twice
SAMPLING = {"KBinsDiscretizer": True, "QuantileTransformer": False}


def drawn_times(described: Described, among: Among, table: Table, trusts: bool) -> Array:
    """Return how often each of a client's rows is drawn."""
    rows = _in_order(described, table)
    size = described.params["subsample"]
    replace = SAMPLING.get(described.estimator, False)
    # rows that may be drawn again are drawn without a list of all
    _check(among, rows, trusts, int(size or 0) if replace else among.rows)
    if described.estimator not in SAMPLING or size is None or among.rows <= size:
        raise Refuse("consent", "draws no sample there")
    seed = described.params.get("random_state")
    state = among.state if seed is None else seed
    if state is None:
        raise BadCells("journal")
    drawn = rows_drawn(among.rows, int(size), state, replace=replace)
    try:
        return times_drawn(drawn, among.start, among.start + rows)
    except ValueError:
        raise BadCells("draw") from None


def folds_of(
    described: Described, among: Among, table: Table, policy: Policy, trusts: bool
) -> Array:
    """Return the fold of each of a client's rows."""
    rows = _in_order(described, table)
    _check(among, rows, trusts, among.rows)
    if among.folds is not None:
        return _listed(described.params, among.folds, table, policy)
    try:
        if among.classes is None:
            stop = among.start + rows
            return own_folds(described.params, among.state, among.rows, among.start, stop)
        return row_folds(_by_class(described.params, among, table), table, grouped=True)
    except (ValueError, KeyError, TypeError, IndexError):
        raise BadCells("folds") from None


def _by_class(params: Mapping[str, Any], among: Among, table: Table) -> Array:
    """Return the folds of a client's rows, label by label."""
    parts = [plain_target(chunk.y) for chunk in table.chunks()]
    labels, turns = by_turn(np.concatenate(parts)) if parts else (np.empty(0), np.empty(0, int))
    counts = np.bincount(turns, minlength=len(labels))
    classes, own, before = among.classes, among.own, among.before
    assert classes is not None
    if own is None or before is None or not len(own) == len(before) == len(counts):
        raise BadCells("folds")
    fits = all(a.dtype == np.int64 and a.ndim == 1 for a in (classes, own, before))
    fits = fits and bool((classes >= 0).all() and (own >= 0).all() and (before >= 0).all())
    if not fits or int(classes.sum()) != among.rows or (before + counts > classes[own]).any():
        raise BadCells("folds")
    return own_folds_by_class(params, among.state, classes, own, before, counts)


def _listed(params: Mapping[str, Any], folds: Array, table: Table, policy: Policy) -> Array:
    """Return folds that the user lists row by row. A server chooses rows by them."""
    cv = params.get("cv")
    if not isinstance(cv, dict) or cv.get("splitter") != LISTED:
        raise Refuse("consent", "draws its folds itself, and was told others")
    if policy.level != "ROWS":
        raise Refuse("level", "allows folds that are listed row by row at ROWS only")
    return row_folds(folds, table, grouped=False)


def _in_order(described: Described, table: Table) -> int:
    """Return how many rows a table has; rows without an order can neither be drawn nor be in folds."""
    if table.unordered is not None:
        raise BadCells("no order", what=described.estimator)
    return table.schema().rows


def _check(among: Among, rows: int, trusts: bool, listed: int) -> None:
    """Refuse a stand that cannot be this client's, and to list very many rows."""
    if among.start + rows > among.rows:
        raise BadCells("draw")
    most = most_pooled(rows)
    if not trusts and listed > most:
        raise BadCells("too much", what=f"a sample of more than {most} rows")
    if not trusts and among.classes is not None and among.classes.size > MOST_CLASSES:
        raise BadCells("too much", what=f"a target of more than {MOST_CLASSES} classes")

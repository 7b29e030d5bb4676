"""``check_inverse`` of a FunctionTransformer, on made-up numbers: the clients' rows stay with them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from fedps.assembly.dummy_rows.dummy_cells import FAR_CELL, Flavour
from fedps.assembly.dummy_rows.dummy_tables import dummy_table

_SAID = "not strictly inverse of each other"  # by scikit-learn
# positive numbers, years, numbers around zero, and zeros and ones; none that is far from the others, at
# which exp would be infinite
_KINDS = (Flavour.WORDS, Flavour.NUMERALS, Flavour.DATES, Flavour.SENTENCES)


def warn_unless_inverse(transformer: Any, table: Any) -> None:
    """Warn where two functions are not inverse of each other, by scikit-learn's own rule.

    It is held on made-up rows like ``table`` for which the function gives finite numbers: others say
    that it is not meant for such rows. Where only some numbers fail, and positive ones do not, the
    warning says so: which of them the clients have is not asked.
    """
    failed = []
    for flavour, rows in _meant(transformer, table):
        if message := _complaint(transformer, rows):
            failed.append((flavour, message))
    if not failed:
        return
    flavour, message = failed[0]
    if flavour not in (Flavour.WORDS, Flavour.NUMERALS):
        message += (
            " They are for positive numbers, and not for all others: check_inverse was tried on made-up "
            "numbers, as the clients' rows stay with them."
        )
    warnings.warn(message, UserWarning, stacklevel=2)


def _meant(transformer: Any, table: Any) -> Iterator[tuple[Flavour, Any]]:
    """Yield made-up rows of each kind for which the function gives finite numbers."""
    own = clone(transformer).set_params(check_inverse=False)
    for flavour in _KINDS:
        rows = dummy_table(table[:1], FAR_CELL, flavour=flavour)
        finite = np.zeros(0, dtype=np.intp)
        # a function may raise anything on numbers that it is not for
        with suppress(Exception), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = own.fit(rows).transform(rows)
            cells = found.toarray() if hasattr(found, "toarray") else np.asarray(found, float)
            finite = np.flatnonzero(np.isfinite(cells.reshape(FAR_CELL, -1)).all(axis=1))
        if len(finite):
            yield flavour, _safe_indexing(rows, finite)


def _complaint(transformer: Any, rows: Any) -> str:
    """Return what scikit-learn says of the two functions on some rows; nothing if they are inverse."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        clone(transformer).fit(rows)
    said = (str(warning.message) for warning in caught)
    return next((message for message in said if _SAID in message), "")

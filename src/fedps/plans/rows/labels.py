"""Label transformers: the classes of the target, in one round."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import UsageError
from fedps.learned import Learned
from fedps.learned.encoders import LabelNumbers
from fedps.plans.rows.encoders import listed
from fedps.plans.shared.parameters import learned
from fedps.plans.shared.rare_values import not_all_named
from fedps.plans.shared.warned import warn_of_many
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Categories
from fedps.statistics.base import Array
from fedps.statistics.categories.cell_sorts import OBJECT_TYPES


def label_encoder(encoder: Any, view: View) -> Plan[Learned]:
    """Learn the distinct labels of the target."""
    return learned(encoder, LabelNumbers(classes=(yield from _labels(view))))


def label_binarizer(binarizer: Any, view: View) -> Plan[Learned]:
    """Learn the distinct labels of a target that has classes."""
    classes = yield from _labels(view)
    if any(isinstance(c, float) and c % 1 for c in classes):  # scikit-learn's own error quotes them
        raise UsageError(
            "the target has numbers that are not whole: LabelBinarizer takes classes. Bin the target "
            "first, or use it as it is."
        )
    if any(type(c) in OBJECT_TYPES for c in classes):
        raise UsageError(
            "the target has dates, decimals or other objects, of which scikit-learn's LabelBinarizer makes no "
            "classes. Write them as text there: column.astype(str)."
        )
    warn_of_many(len(classes), view.rows)
    return learned(binarizer, LabelNumbers(classes=classes))


def multi_label_binarizer(binarizer: Any, view: View) -> Plan[Learned]:
    """Learn the distinct labels of all label sets, unless the classes are given."""
    classes = np.zeros(0, dtype=object)
    if binarizer.classes is None:
        classes = yield from _labels(view, sets=True)
    return learned(binarizer, LabelNumbers(classes=classes))


def _labels(view: View, *, sets: bool = False) -> Plan[Array]:
    """Return the distinct labels of the target, sorted."""
    found = yield from ask(Categories(sets=sets), view.target)
    for kept_back in view.target.limited("min_count", "max_share").values():
        raise not_all_named(kept_back, "'target'", "all labels are needed. Use other labels")
    return listed(found[0])

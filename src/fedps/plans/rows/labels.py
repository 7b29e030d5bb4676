"""Label transformers: the classes of the target, in one round."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import UsageError
from fedps.learned import Learned
from fedps.plans.rows.encoders import listed
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Categories


def labels(transformer: Any, view: View, *, sets: bool = False) -> Plan[Learned]:
    """Learn the distinct labels of the target."""
    found = yield from ask(Categories(sets=sets), view.target)
    return learned(transformer, classes=listed(found[0]))


def label_binarizer(binarizer: Any, view: View) -> Plan[Learned]:
    """Learn the distinct labels of a target that has classes."""
    learnt = yield from labels(binarizer, view)
    classes = learnt.arrays["classes"]
    if any(isinstance(c, float) and c % 1 for c in classes):  # scikit-learn's own error quotes them
        raise UsageError(
            "the target has numbers that are not whole: LabelBinarizer takes classes. Bin the target "
            "first, or use it as it is."
        )
    return learnt


def multi_label_binarizer(transformer: Any, view: View) -> Plan[Learned]:
    """Learn the distinct labels of all label sets, unless the classes are given."""
    if transformer.classes is not None:
        return learned(transformer, classes=np.zeros(0, dtype=object))
    return (yield from labels(transformer, view, sets=True))

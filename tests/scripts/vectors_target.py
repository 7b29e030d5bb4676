"""Good and bad summaries of the statistics that read the target."""

from __future__ import annotations

import numpy as np

from fedps.statistics import ByCategory, ByKnown, Turns
from fedps.statistics.ragged import Ragged
from fedps.statistics.sums.moments import MomentsSummary
from fedps.statistics.target.category_by_label import Crossed, Labels
from fedps.statistics.target.labels import LabelTurn
from tests.scripts.cells import floats, ints, words


def sums(count, squares=(0.5,)):
    """Return moments of lines, one part."""
    nothing = np.zeros((1, len(count)))
    square = np.full((len(squares), len(count)), 0.0)
    return MomentsSummary(floats(count), nothing, nothing, square)


NONE = ints()
LABELS = Labels(words("no", "yes"), ["numpy |O"])
# two categories, None and NaN beside two labels; then nothing but NaN
TABLE = {
    "labels": LABELS,
    "overall": [],
    "values": (words("a", "b"), floats()),
    "sums": (),
    "cells": Ragged([NONE, ints(2, 3)]),
    "counts": Ragged([ints(1, 1, 2, 0, 0, 0, 1, 0), ints(4, 1)]),
}
NUMBERS = {
    **TABLE,
    "labels": Labels(floats(), ["numpy <f8"]),
    "sums": (sums([2, 2, 0, 1]), sums([0, 5])),
    "cells": Ragged([NONE, NONE]),
    "counts": Ragged([NONE, NONE]),
}
BAD_TABLE = [
    ("labels", Labels(words("yes", "no"), []), "must be sorted"),
    ("labels", Labels(floats(*range(6)), []), "has more than the 5 rows"),
    ("labels", Labels(LABELS.values, ["numpy"]), "kinds must be a container and a dtype"),
    ("labels", Labels(LABELS.values, ["excel <f8"]), "kinds must be a container and a dtype"),
    ("labels", Labels(LABELS.values, ["numpy <f8"] * 17), "kinds are 17"),
    ("overall", [Crossed(floats(), NONE, ints(4, 1), None)] * 2, "must be one line"),
    ("overall", [Crossed(floats(), NONE, ints(3, 1), None)], "adds up to 4 for 5 rows"),
    ("overall", [Crossed(floats(), NONE, ints(4, 2), None)], "adds up to 6 cells for 5 rows"),
    ("overall", [Crossed(floats(), NONE, ints(4, 1, 0), None)], "has 3 cells"),
    ("values", (words("b", "a"), floats()), "must be sorted"),
    ("values", (words("a", "b"),), "has 1 columns"),
    ("sums", (sums([2, 2, 0, 1]),), "has 1 columns"),
    ("sums", (sums([2, 2, 0, 1]), sums([0, 5])), "adds up to"),
    ("cells", Ragged([NONE]), "has 1 columns"),
    ("cells", Ragged([NONE, ints(3, 2)]), "must be sorted and distinct"),
    ("cells", Ragged([NONE, ints(2, 4)]), "is not in 0..3"),
    ("cells", Ragged([NONE, ints(-1, 2)]), "is not in 0..3"),
    ("cells", Ragged([NONE, ints(2, 3, 3)]), "has another length than counts"),
    ("counts", Ragged([TABLE["counts"][0], ints(4, 2)]), "adds up to 6 cells for 5 rows"),
    ("counts", Ragged([TABLE["counts"][0], ints(4, -1)]), "must be positive"),
    ("counts", Ragged([ints(1, 1, 2, 0, 0, 0, 2, -1), ints(4, 1)]), "must not be negative"),
    ("counts", Ragged([ints(1, 1, 2), ints(4, 1)]), "has 3 cells"),
    ("counts", Ragged([ints(2**62, 2**62, 2**62, 2**62, 5, 0, 0, 0), ints(4, 1)]), "adds up to"),
]
BAD_NUMBERS = [
    ("sums", (sums([2, 2, 0]), sums([0, 5])), "has shape"),
    ("sums", (sums([2, 2, 0, 1.0]), sums([0, 5], squares=())), "has 0 parts"),
    ("sums", (sums([2, 2, 0.5, 0.5]), sums([0, 5])), "must be whole"),
    ("sums", (sums([2, 2, 0, 2]), sums([0, 5])), "adds up to 6 cells for 5 rows"),
    ("sums", (sums([2, 2, 0, 0]), sums([0, 5])), "adds up to 4"),
    ("sums", (sums([-2, 2, 0, 5]), sums([0, 5])), "must not be negative"),
]

GIVEN = ByKnown((("a", "b"), (1.5,)), "labels", labels=("no", "yes"), folds=2)
KNOWN = {
    "labels": Labels(floats()),
    "overall": [Crossed(floats(), NONE, ints(1, 1, 2, 1), None)],
    "values": (),
    "sums": (),
    "cells": Ragged([ints(1, 6), NONE]),
    "counts": Ragged([ints(1, 2), NONE]),
}
BAD_KNOWN = [
    ("labels", LABELS, "must not be sent again"),
    ("overall", [], "must be one line"),
    ("overall", [Crossed(floats(), NONE, ints(1, 1, 2, 0), None)], "adds up to 4 cells"),
    ("overall", [Crossed(floats(), NONE, ints(1, 1, 3), None)], "has 3 cells"),
    ("overall", [Crossed(words("a"), NONE, ints(1, 1, 2, 1), None)], "must not be sent again"),
    ("values", (words("a"), floats()), "must not be sent again"),
    ("sums", (sums([1, 1, 1, 1]), sums([1, 0])), "adds up to"),
    ("cells", Ragged([ints(1, 8), NONE]), "is not in 0..7"),
    ("counts", Ragged([ints(1, 5), NONE]), "adds up to 6 cells"),
    ("counts", Ragged([ints(1, 2)]), "has 1"),
]

TURN = {
    "parts": [LabelTurn(words("yes", "no"), ints(2, 3))],
    "kinds": ["numpy |O"],
    "numbers": False,
}
BAD_TURN = [
    ("parts", [LabelTurn(words("yes"), ints(5))] * 2, "are 2, not one"),
    ("parts", [LabelTurn(words("yes", "no"), ints(2, 2))], "adds up to 4 cells for 5 rows"),
    ("parts", [LabelTurn(words("yes", "no"), ints(6, -1))], "must be positive"),
    ("parts", [LabelTurn(words("yes"), ints(2, 3))], "has shape"),
    ("parts", [LabelTurn(words(), ints())], "must not be empty"),
    ("parts", [LabelTurn(words("yes", 1.0), ints(2, 3))], "must be text only, or numbers only"),
    ("parts", [LabelTurn(words("yes", "yes"), ints(2, 3))], "must be distinct"),
    ("parts", [LabelTurn(words("yes", "no"), floats(2, 3))], "has dtype float64, not int64"),
    ("kinds", ["numpy"], "must be a container and a dtype"),
    ("numbers", 1, "must be `bool`, not `int`"),
]

GOOD = {
    ByCategory: (ByCategory(), TABLE),
    ByKnown: (GIVEN, KNOWN),
    Turns: (Turns(), TURN),
}
BAD = [
    *((ByCategory(), TABLE, *bad) for bad in BAD_TABLE),
    *((ByCategory(), NUMBERS, *bad) for bad in BAD_NUMBERS),
    *((GIVEN, KNOWN, *bad) for bad in BAD_KNOWN),
    *((Turns(), TURN, *bad) for bad in BAD_TURN),
]

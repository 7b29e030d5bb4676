"""Which setting meets which circumstance: not each setting every one, but all of both, evenly.

A setting of an estimator says something about scikit-learn, a partition of its rows something about
FedPS, and hardly anything goes wrong for one pair of them only. So each setting meets one in
``ONE_IN`` of its partitions: those that the settings before it, in the same test, have met least.
"""

from __future__ import annotations

import math
import os
from collections import Counter

# 1 is the full product, for a longer search by hand. `make test` has more of it on current versions
# than on the oldest ones, as how rows are split matters to FedPS alone.
ONE_IN = int(os.environ.get("FEDPS_ONE_PARTITION_IN", "6"))


def rotated(choices):
    """Return pairs of a setting and a circumstance, from pairs of a setting and all that suit it."""
    choices = list(choices)
    met = Counter()
    pairs = []
    for setting, suitable in choices:
        count = math.ceil(len(suitable) / ONE_IN)
        # the sort is stable: of those that were met as often, the first are taken
        taken = sorted(suitable, key=lambda each: met[each])[:count]
        met.update(taken)
        pairs += [(setting, each) for each in suitable if each in taken]
    for setting, suitable in choices:  # where settings are few
        missed = [each for each in suitable if not met[each]]
        met.update(missed)
        pairs += [(setting, each) for each in missed]
    return pairs


def in_turn(settings, circumstances):
    """Return settings, which are tuples, each with some of the circumstances as a last item."""
    return [(*setting, each) for setting, each in rotated((s, circumstances) for s in settings)]

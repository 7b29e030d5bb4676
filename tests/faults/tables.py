"""Tables of clients on whom things go wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd

NAMES = ("oslo", "bergen", "turku", "lund", "vejle", "kiel")


def tables(seed, clients):
    rng = np.random.default_rng(seed)
    found = {}
    for name in NAMES[:clients]:
        cells = rng.gamma(2.0, 3.0, (rng.integers(20, 60), 3))
        cells[rng.random(cells.shape) < 0.05] = np.nan
        found[name] = pd.DataFrame(cells, columns=["a", "b", "c"])
    return found

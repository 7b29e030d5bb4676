"""Which of our files run when two steps are fitted in process: the way of a cell, counted.

Run it with ``python -m benchmarks.way_of_a_cell``. Federations are made before counting begins.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps

HOME = Path(fedps.__file__).parent


def table(rows: int, seed: int) -> pd.DataFrame:
    """Return a client's table, with a gap."""
    cells = np.random.default_rng(seed).normal(size=(rows, 3))
    cells[0, 0] = np.nan
    return pd.DataFrame(cells, columns=list("abc"))


def files_run() -> dict[str, int]:
    """Return our files that a fit runs code of, with how many functions of each."""
    seen: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(HOME):
            name = path.relative_to(HOME).with_suffix("").as_posix()
            seen.setdefault(name, set()).add(frame.f_code.co_qualname)

    federation = fedps.Federation({"oslo": table(30, 0), "bergen": table(20, 1)}, progress=False)
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        federation.fit(make_pipeline(SimpleImputer(), StandardScaler()))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {name: len(functions) for name, functions in sorted(seen.items())}


if __name__ == "__main__":
    found = files_run()
    for name, functions in found.items():
        print(f"{functions:4d}  {name}")
    print(f"{len(found)} files, {sum(found.values())} functions")

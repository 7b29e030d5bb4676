"""``python -m benchmarks.consistency``: the paper's Table 6, how far the result is from pooled.

The mean squared error between the rows that the federated and the pooled fit transform: 10 clients,
all rows, indicators left out, exact and with a KLL sketch of k = 200.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import TargetEncoder

import fedps
from benchmarks.downloads import DataMissing
from benchmarks.paper import CONSISTENCY, DATA_SETS, labels_of, table_of

CLIENTS = 10
SKETCHED = (
    "RobustScaler",
    "KBinsDiscretizer (quantile)",
    "QuantileTransformer (uniform)",
    "QuantileTransformer (normal)",
    "SplineTransformer (quantile)",
)


@dataclass
class Error:
    """The mean squared error of one estimator on one data set."""

    estimator: str
    data: str
    exact: float
    sketched: float | None
    paper: float


def table_6(seed: int = 0) -> Iterator[Error]:
    """Yield the errors of every estimator on every data set."""
    for place, where in enumerate(DATA_SETS):
        for name, row in CONSISTENCY.items():
            table = table_of(where, row.columns)
            if table.shape[1] == 0:
                continue
            order = np.random.default_rng(seed).permutation(len(table))
            table = table.iloc[order].reset_index(drop=True)
            labels = labels_of(where).to_numpy()[order]
            exact = error(row.estimator, table, labels)
            sketch = fedps.KLL(k=200, seed=seed)
            sketched = error(row.estimator, table, None, sketch) if name in SKETCHED else None
            yield Error(name, where, exact, sketched, row.paper[place])


def error(estimator: Any, table: Any, labels: Any, quantiles: Any = "exact") -> float:
    """Return the mean squared error between federated and pooled output."""
    parts = np.array_split(np.arange(len(table)), CLIENTS)
    if isinstance(estimator, TargetEncoder):
        clients = [(table.iloc[rows], labels[rows]) for rows in parts]
        outputs = fedps.Federation(clients, progress=False).fit_transform(estimator)[1]
        ours, pooled = np.vstack(outputs), clone(estimator).fit_transform(table, labels)
    else:
        federation = fedps.Federation([table.iloc[rows] for rows in parts], progress=False)
        fitted = federation.fit(estimator, quantiles=quantiles)
        ours, pooled = fitted.transform(table), clone(estimator).fit(table).transform(table)
    difference = ours - pooled
    cells = difference.data if sparse.issparse(difference) else np.asarray(difference)
    size = float(np.prod(difference.shape))
    return float(np.square(cells, dtype=np.float64).sum() / size)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 where the data is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.consistency", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--seed", type=int, default=0, help="which rows the clients get")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    found = []
    if not options.json:
        print(f"{'mean squared error to pooled':44}{'exact':>10}{'KLL 200':>10}{'paper':>10}")
    try:
        for row in table_6(options.seed):
            found.append(row)
            if not options.json:
                print(_line(row), flush=True)
    except DataMissing as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps([asdict(row) for row in found], indent=1))
    return 0


def _line(row: Error) -> str:
    sketched = "" if row.sketched is None else f"{row.sketched:.2g}"
    return f"{row.data:12}{row.estimator:32}{row.exact:10.2g}{sketched:>10}{row.paper:10.2g}"


if __name__ == "__main__":
    sys.exit(main())

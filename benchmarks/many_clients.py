"""``python -m benchmarks.many_clients``: small tables, many clients, the server alone, and imports.

All in processor time, the smallest of some fits: where the fixed cost of a fit, of a client and of a
round is what matters, other work on the machine would hide it.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from msgspec import structs
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PowerTransformer, RobustScaler, StandardScaler

import fedps
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Reply
from fedps.transports.local import LocalTransport

NUMBERS = [f"number {i}" for i in range(5)]
TEXTS = [f"text {i}" for i in range(5)]
IMPUTE_SCALE_ENCODE = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS), (OneHotEncoder(), TEXTS)
)


def small_tables() -> list[Any]:
    """Return 10 clients of 100 rows and 20 columns of doubles."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=(100, 20)) for _ in range(10)]


def many_tables(clients: int = 500) -> list[Any]:
    """Return clients of 200 rows and 10 columns of doubles."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=(200, 10)) for _ in range(clients)]


def many_frames(clients: int = 500) -> list[Any]:
    """Return clients of 200 rows, with five columns of numbers with gaps and five of text."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(clients):
        cells = rng.normal(size=(200, len(NUMBERS)))
        cells[rng.random(cells.shape) < 0.05] = np.nan
        texts = {name: rng.choice(["a", "b", "c", "d"], 200) for name in TEXTS}
        found.append(pd.DataFrame(cells, columns=NUMBERS).assign(**texts))
    return found


CASES: dict[str, tuple[Callable[[], list[Any]], Any]] = {
    "10 clients x 100 rows x 20: StandardScaler": (small_tables, StandardScaler()),
    "10 clients x 100 rows x 20: RobustScaler": (small_tables, RobustScaler()),
    "10 clients x 100 rows x 20: PowerTransformer": (small_tables, PowerTransformer()),
    "500 clients x 200 rows x 10: StandardScaler": (many_tables, StandardScaler()),
    "500 clients x 200 rows x 10: RobustScaler": (many_tables, RobustScaler()),
    "500 clients x 200 rows x 10: impute-scale-encode": (many_frames, IMPUTE_SCALE_ENCODE),
}


def fit_milliseconds(clients: list[Any], estimator: Any, repeats: int) -> tuple[float, fedps.Run]:
    """Return the shortest processor time of some fits, and what the last one cost otherwise."""
    best = float("inf")
    fedps.Federation(clients[:2], progress=False).fit(estimator)  # imports what it needs
    for _ in range(repeats):
        federation = fedps.Federation(clients, progress=False)
        gc.collect()
        started = time.process_time()
        federation.fit(estimator)
        best = min(best, time.process_time() - started)
    assert federation.run is not None
    return best * 1000, federation.run


class CannedReplies:
    """A transport of clients that have their replies ready: what is left is the server's work.

    A few real clients answer; the others say what one of these says, in their own names.
    """

    def __init__(self, tables: Sequence[Any], clients: int) -> None:
        known = fedps.Federation(tables, progress=False)
        local = known._session.transport  # noqa: SLF001 - what carries its rounds
        assert isinstance(local, LocalTransport)
        self._real = local
        self._first = [*local.clients()]
        self._names = tuple(f"client {i}" for i in range(clients))
        self.making = 0.0  # processor seconds that making replies took, which are not the server's

    def clients(self) -> Sequence[str]:
        """Return the names of the clients."""
        return self._names

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        """Yield the replies to a round, which is the same for all."""
        started = time.process_time()
        message = messages[self._names[0]]
        answers = [self._real.responders[name].answer(message) for name in self._first]
        replies = [decode(answer, Reply, "a client") for answer in answers]
        ready = [
            (name, encode(structs.replace(replies[i % len(replies)], client=name)))
            for i, name in enumerate(self._names)
        ]
        self.making += time.process_time() - started
        yield from ready


def server_milliseconds(clients: int = 10_000, estimator: Any = None) -> float:
    """Return what decoding, checking, merging and planning cost a client and round, in milliseconds."""
    transport = CannedReplies(many_tables(20), clients)
    federation = fedps.Federation(transport, progress=False)
    gc.collect()
    started = time.process_time()
    federation.fit(StandardScaler() if estimator is None else estimator)
    seconds = time.process_time() - started - transport.making
    assert federation.run is not None
    return seconds * 1000 / clients / federation.run.rounds


def import_ratio(repeats: int = 3) -> float:
    """Return how long the first use of fedps takes beside an import of scikit-learn's preprocessing."""
    ours = "import fedps; fedps.Federation"
    theirs = "import sklearn.preprocessing"
    return min(_import_seconds(ours) for _ in range(repeats)) / min(
        _import_seconds(theirs) for _ in range(repeats)
    )


def _import_seconds(code: str) -> float:
    timed = f"import time; {code}; print(time.process_time())"
    found = subprocess.run([sys.executable, "-c", timed], capture_output=True, check=True)  # noqa: S603
    return float(found.stdout)


def main() -> None:
    """Print a table."""
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    print("| case | rounds | ms | ms a client and round | bytes up |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, (tables, estimator) in CASES.items():
        if only in name:
            clients = tables()
            taken, run = fit_milliseconds(clients, estimator, 20 if len(clients) < 100 else 3)
            each = taken / run.rounds / len(clients)
            up = sum(run.bytes_up.values())
            print(f"| {name} | {run.rounds} | {taken:.1f} | {each:.2f} | {up} |", flush=True)
    if only in "server":
        print(f"| the server alone, 10,000 clients x 10 | | | {server_milliseconds():.3f} | |")
    if only in "import":
        print(f"first use of fedps over import sklearn.preprocessing: {import_ratio():.2f}")


if __name__ == "__main__":
    main()

"""Small tables, many clients, the server alone, and imports: cases of ``python -m benchmarks.speed``."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from msgspec import structs
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PowerTransformer, RobustScaler, StandardScaler

import fedps
from benchmarks.targets import Case, Figure
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


def fitted(
    make: Callable[[], list[Any]], estimator: Any, repeats: int, *, each: bool = False
) -> Figure:
    """Return milliseconds of a fit, or of one ``each`` client and round, the least of some fits."""
    clients = make()
    fedps.Federation(clients[:2], progress=False).fit(estimator)  # imports what it needs
    best = [float("inf"), float("inf")]
    for _ in range(repeats if each else 6 * repeats):
        federation = fedps.Federation(clients, progress=False)
        gc.collect()
        started = time.perf_counter(), time.process_time()
        federation.fit(estimator)
        taken = time.perf_counter() - started[0], time.process_time() - started[1]
        best = [min(pair) for pair in zip(best, taken, strict=True)]
    run = federation.run
    assert run is not None
    parts = run.rounds * len(clients) if each else 1
    up = sum(run.bytes_up.values()) / 1000
    return Figure(
        *(seconds * 1000 / parts for seconds in best), f"{run.rounds} rounds, {up:.1f} KB up"
    )


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


def server_alone(repeats: int, clients: int = 10_000) -> Figure:
    """Return what decoding, checking, merging and planning cost a client and round, in milliseconds."""
    best = float("inf")
    for _ in range(repeats):
        transport = CannedReplies(many_tables(20), clients)
        federation = fedps.Federation(transport, progress=False)
        gc.collect()
        started = time.process_time()
        federation.fit(StandardScaler())
        seconds = time.process_time() - started - transport.making
        assert federation.run is not None
        best = min(best, seconds * 1000 / clients / federation.run.rounds)
    return Figure(best, best)  # one thread


def first_use(repeats: int) -> Figure:
    """Return how long the first use of fedps takes beside an import of scikit-learn's preprocessing."""
    ours = "import fedps; fedps.Federation"
    theirs = "import sklearn.preprocessing"
    found = [min(map(_import_seconds, [code] * repeats)) for code in (ours, theirs)]
    return Figure(found[0] / found[1], found[0] / found[1], f"{found[1]:.2f} -> {found[0]:.2f} s")


def _import_seconds(code: str) -> float:
    timed = f"import time; {code}; print(time.process_time())"
    found = subprocess.run([sys.executable, "-c", timed], capture_output=True, check=True)  # noqa: S603
    return float(found.stdout)


SMALL, MANY = "10 clients x 100 rows x 20", "500 clients x 200 rows x 10"
PER_ROUND = "ms a client and round"
CASES = [
    *(
        Case(SMALL, type(estimator).__name__, 30, partial(fitted, small_tables, estimator), "ms")
        for estimator in (RobustScaler(), PowerTransformer())
    ),
    *(
        Case(MANY, name, 1.0, partial(fitted, make, estimator, each=True), PER_ROUND)
        for name, make, estimator in (
            ("StandardScaler", many_tables, StandardScaler()),
            ("RobustScaler", many_tables, RobustScaler()),
            ("impute-scale-encode", many_frames, IMPUTE_SCALE_ENCODE),
        )
    ),
    Case("10,000 clients x 10 columns", "the server alone", 0.1, server_alone, PER_ROUND),
    Case("imports", "first use of fedps", 1.3, first_use, "x sklearn.preprocessing"),
]

"""The table "Who learns what" of docs/companies.md: what each party can read of a match, a fit and predictions."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

import fedps
from fedps.client import Responder
from fedps.protocol import codec
from tests.conformance.companies import FIT, KEYS, joined

SERVER, AT_TARGET = "the server", "clinic"
FEATURES = {"bank": ["income", "city"], "clinic": ["age"], "shop": ["spent", "visits"]}
FITTING = {"Schema", "MaskKeys", "MaskSeeds", "MaskedColumns", "MaskedProducts", "Keep"}
MATCHING = {"BlindedKeys", "BlindedAgain", "MatchTable", "Schema", "Keep"}


class Overheard:
    """What each party was sent: bytes as they are before they are deflated, and every array in them."""

    def __init__(self) -> None:
        self.messages: dict[str, bytes] = defaultdict(bytes)
        self.arrays: dict[str, list[Any]] = defaultdict(list)

    def numbers(self, who: str) -> set[float]:
        """Return all numbers in arrays that somebody was sent; bytes of points and masks are none."""
        known = [a for a in self.arrays[who] if a.dtype.kind in "iuf" and a.itemsize > 1]
        return {number for array in known for number in array.astype(float).ravel().tolist()}


@contextmanager
def overheard() -> Iterator[Overheard]:
    """Listen to a server and its clients, all in this process."""
    found, here = Overheard(), threading.local()
    answers, reads = Responder.answer, codec.read_value

    def answer(self: Responder, message: Any) -> Any:
        here.name = self.name
        try:
            reply = answers(self, message)
        finally:
            here.name = SERVER
        found.messages[self.name] += _plain(bytes(message))
        found.messages[SERVER] += _plain(bytes(reply))
        return reply

    def read_value(*given: Any) -> Any:
        value = reads(*given)
        if isinstance(value, np.ndarray):
            found.arrays[getattr(here, "name", SERVER)].append(value)
        return value

    with patch.object(Responder, "answer", answer), patch.object(codec, "read_value", read_value):
        yield found


def _plain(message: bytes) -> bytes:
    if message[0] == codec._DEFLATED:
        return codec._inflate(memoryview(message)[1:], "a test")
    return message


def ledger(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the lines of an owner's ledger."""
    text = (folder / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def check_who_learns_what(folder: Path, heard: Overheard, fitted: dict[str, int]) -> None:
    """Demand what the page's table says, line by line. ``fitted`` has the sizes of ledgers before predictions."""
    assert set(heard.messages) == {SERVER, *KEYS}
    for name in KEYS:
        lines = ledger(folder, name)
        _matching(lines, KEYS[name])
        _fitting(folder, heard, name, lines[: fitted[name]])
        _predicting(folder, heard, name, lines[fitted[name] :])
    _never(folder, heard)


LINES = ("matching", "fitting", "predicting", "never")


def _matching(lines: list[dict[str, Any]], key: str) -> None:
    """Of keys, a point of the curve for each leaves, and nothing else: their number."""
    assert {line["statistic"] for line in lines if line["columns"] == [key]} == MATCHING
    sizes = {line["bytes"] // 32 for line in lines if line["statistic"] == "BlindedKeys"}
    assert sizes == {360 + 2, 90 + 2}  # a point for each key, and 66 bytes around them


def _fitting(folder: Path, heard: Overheard, name: str, lines: list[dict[str, Any]]) -> None:
    """The server gets sums, from which it tells each owner its coefficients, and what belongs to the whole model."""
    assert {line["level"] for line in lines} == {"-", "AGGREGATE"}
    asked = {line["statistic"] for line in lines if line["outcome"] in ("sent", "kept")}
    assert asked == FITTING | MATCHING
    parts = {other: _model(folder, other) for other in KEYS}
    seen = heard.numbers(name)
    assert set(parts[name].coef_) <= seen
    for other in set(KEYS) - {name}:
        assert not seen & set(parts[other].coef_)
        for whole in ("intercept_", "alpha_", "lambda_"):
            assert getattr(parts[other], whole) == getattr(parts[name], whole)


def _predicting(folder: Path, heard: Overheard, name: str, lines: list[dict[str, Any]]) -> None:
    """Predictions are numbers about rows; only the owner of the target is told them, by the server."""
    assert {line["statistic"] for line in lines if line["level"] == "ROWS"} == {"MaskedPartial"}
    predictions = set(_predictions(folder)["prediction"])
    assert len(predictions) == len(joined(folder, "-july"))
    found = heard.numbers(name) & predictions
    assert found == (predictions if name == AT_TARGET else set())


def _never(folder: Path, heard: Overheard) -> None:
    """Nobody is sent a key or a cell: so none of another owner, and the server none of the target and of anybody."""
    told = b"".join(heard.messages.values())
    numbers = {who: heard.numbers(who) for who in heard.messages}
    for name, key in KEYS.items():
        written = told + (folder / f"{name}.jsonl").read_bytes()
        for month in ("", "-july"):
            table = pd.read_parquet(folder / f"{name}{month}.parquet")
            assert not [secret for secret in _secrets(table, key) if secret in written]
            cells = {float(cell) for cell in table.select_dtypes(float).to_numpy().ravel()}
            cells = {cell for cell in cells if not cell.is_integer()}  # which a count could be
            cells |= {float(each) for each in table[key]}
            assert not [who for who, seen in numbers.items() if seen & cells]
        assert not numbers[SERVER] & _added(folder, name)


def _added(folder: Path, name: str) -> set[float]:
    """Return what an owner's columns add to the predictions."""
    part = fedps.load(folder / f"{name}.jsonl.fits" / f"{FIT}.skops")
    new = joined(folder, "-july")[FEATURES[name]]
    found: set[float] = set((part[:-1].transform(new) @ part[-1].coef_).tolist())
    assert len(found) > 2
    return found


def _model(folder: Path, name: str) -> Any:
    return fedps.load(folder / f"{name}.jsonl.fits" / f"{FIT}.skops")[-1]


def _predictions(folder: Path) -> pd.DataFrame:
    (file,) = (folder / "predictions").iterdir()
    return pd.read_parquet(file)


def _secrets(table: pd.DataFrame, key: str) -> Iterator[bytes]:
    """Yield keys and cells as messages could hold them; each is long enough not to be there by chance."""
    for each in table[key]:
        yield str(each).encode()
        yield int(each).to_bytes(8, "little")
        yield int(each).to_bytes(8, "big")
    for column in table.select_dtypes(float):
        for cell in table[column]:
            yield np.float64(cell).astype("<f8").tobytes()
            yield np.float64(cell).astype(">f8").tobytes()

"""Made-up tables of any size, one for each client."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

HOLES = 0.05
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype="S1")


def clients_of(
    kind: str, clients: int, rows: int, columns: int, categories: int = 0, seed: int = 0
) -> list[Any]:
    """Return each client's table, with labels; owners have columns of the same rows."""
    rng = np.random.default_rng(seed)
    if kind == "texts":
        words = [_words(rng, categories) for _ in range(columns)]
        return [_texts(rng, words, rows) for _ in range(clients)]
    tables = [_numbers(rng, kind, rows, columns) for _ in range(clients)]
    if kind == "holes":
        return tables
    if kind == "owners":
        return [(tables[0], rng.normal(size=rows)), *tables[1:]]
    return [(table, rng.normal(size=rows).round(3)) for table in tables]


def _numbers(rng: Any, kind: str, rows: int, columns: int) -> Any:
    """Return numbers: whole ones are from about 20 to 80."""
    if kind == "whole numbers":
        return rng.poisson(50, size=(rows, columns))
    table = rng.normal(size=(rows, columns))
    if kind == "holes":
        table[rng.random(rows) < HOLES, 0] = np.nan
    return table


def _texts(rng: Any, words: list[list[str]], rows: int) -> Any:
    """Return texts, each of them at least once where there are rows enough, some far more often."""
    weights = 1 / np.arange(1, len(words[0]) + 1)
    frame = {}
    for place, own in enumerate(words):
        drawn = rng.choice(len(own), size=rows, p=weights / weights.sum())
        drawn[: len(own)] = np.arange(len(own))[:rows]
        frame[f"column {place}"] = np.array(own, dtype=object)[drawn]
    return pd.DataFrame(frame), rng.integers(0, 2, size=rows)


def _words(rng: Any, number: int) -> list[str]:
    """Return distinct words of eight random letters, as hard to compress as any."""
    words = {word.decode() for word in rng.choice(LETTERS, (number, 8)).view("S8").ravel()}
    return sorted(words) if len(words) == number else _words(rng, number)

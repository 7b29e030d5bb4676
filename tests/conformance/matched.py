"""Owners who do not know which rows they share, which every engine must match to the bit: a fit of them, and predictions.

Their files stand beside those of ``columns``; a file in the folder says which of both the owners use.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import fedps
from fedps.client import Policy, Responder
from fedps.client.tables.owned_table import open_owned
from fedps.engines.client_settings import ClientSettings
from fedps.transports import LocalTransport
from tests.conformance import columns
from tests.conformance.scenario import bits

HOW: dict[str, Any] = {**columns.HOW, "match": "private"}
FIT = "matched"
SALT = b"2f" * 16
NEW = 20
AT_TARGET = "oslo"
HERE = "matching"  # a file that says that owners use the files of this story


def every_row(*, new: bool = False) -> pd.DataFrame:
    """All columns of all rows, of which each owner lacks some; new ones are not among the others."""
    found = columns.people(NEW if new else columns.ROWS, seed=9)
    found["bmi"], found["visits"] = found["bmi"].fillna(27.0), found["visits"].fillna(4.0)
    return found.assign(key=found["key"] + 4_700_000_000 + 1000 * new)


def table(name: str, *, new: bool = False) -> pd.DataFrame:
    """One owner's columns of most rows, in an order of its own; turku has text for keys."""
    own = every_row(new=new).sample(frac=0.9, random_state=columns.CLIENTS.index(name))
    target = [columns.TARGET] if name == AT_TARGET and not new else []
    own = own[["key", *columns.FEATURES[name], *target]]
    if name == "turku":
        own = own.astype({"key": str})
    return own.rename(columns={"key": columns.KEYS[name]})


def settings(folder: Path) -> dict[str, ClientSettings]:
    """Write each owner's files, and return its settings."""
    (folder / "salt.txt").write_bytes(SALT + b"\n")
    for name in columns.CLIENTS:
        table(name).to_parquet(folder / f"{name}-matched.parquet")
        table(name, new=True).to_parquet(folder / f"{name}-matched-new.parquet")
        columns.write_policy(folder, name, "ROWS")
    return {name: settings_of(folder, name) for name in columns.CLIENTS}


def settings_of(folder: Path, name: str) -> ClientSettings:
    """Return the settings of an owner, whose files are there."""
    return ClientSettings(
        str(folder / f"{name}-matched.parquet"),
        columns.TARGET if name == AT_TARGET else None,
        folder / f"{name}-columns.toml",
        folder / f"{name}-matched.jsonl",
        split="columns",
        key=columns.KEYS[name],
        new=str(folder / f"{name}-matched-new.parquet"),
        predictions=folder / "delivered",
        salt=folder / "salt.txt",
    )


def answer_options(folder: Path, name: str) -> dict[str, Any]:
    """Return how an owner answers, by the files of the story that is told."""
    own = settings_of if (folder / HERE).exists() else columns.settings_of
    return columns.answer_options(own(folder, name))


def story(make: Callable[..., fedps.Federation], folder: Path) -> dict[str, Any]:
    """Match, fit, and have predictions delivered; return all that a server sees of it, in plain values."""
    settings(folder)
    (folder / HERE).touch()
    federation = make(**HOW)
    told: dict[str, Any] = {"match": columns.costs(federation)}
    fitted = federation.fit(columns.simple(), name=FIT)
    told |= {"fit": columns.costs(federation), "alpha": float(fitted.alpha_).hex()}
    told["rows"] = federation.run.rows
    delivered = federation.predict(fitted, "new", to="target")
    return told | {"delivered": [delivered.client, delivered.rows]}


def check(folder: Path, told: dict[str, Any], beside: Path) -> None:
    """Demand what comes of it in process, to the bit, and what scikit-learn predicts from pooled rows."""
    federation = _in_process()
    costs = columns.costs(federation)
    fitted = federation.fit(columns.simple(), name=FIT)
    own, new = _joined(), _joined(new=True)
    assert told == {
        "match": costs,
        "fit": columns.costs(federation),
        "alpha": float(fitted.alpha_).hex(),
        "rows": len(own),
        "delivered": [AT_TARGET, len(new)],
    }
    (file,) = (folder / "delivered").iterdir()
    found = pd.read_parquet(file)
    assert sorted(found["customer"]) == sorted(new["key"])
    new = new.set_index("key").loc[found["customer"]]
    here = federation.predict(fitted, {name: new[c] for name, c in columns.FEATURES.items()})
    np.testing.assert_array_equal(found["prediction"], here)
    pooled = columns.simple().fit(own, own[columns.TARGET]).predict(new)
    np.testing.assert_allclose(here, pooled, rtol=1e-9)
    fedps.save(fitted, beside / "matched.skops")
    for name in columns.CLIENTS:
        part = fedps.load(folder / f"{name}-matched.jsonl.fits" / f"{FIT}.skops")
        assert bits(part) == bits(fedps.load(beside / f"matched-{name}.skops"))


def _joined(*, new: bool = False) -> pd.DataFrame:
    """Return all columns of the rows that all have, which nobody has."""
    keys = [table(name, new=new)[columns.KEYS[name]].astype(int) for name in columns.CLIENTS]
    every = every_row(new=new)
    return every[every["key"].isin(set.intersection(*map(set, keys)))]


def _in_process() -> fedps.Federation:
    responders = {}
    for name, key in columns.KEYS.items():
        target = columns.TARGET if name == AT_TARGET else None
        own = open_owned(table(name), target=target, key=key, salt=SALT)
        responders[name] = Responder(name, own, Policy.open())
    return fedps.Federation(LocalTransport(responders), progress=False, **HOW)

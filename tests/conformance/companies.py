"""docs/companies.md as a reader follows it, over any engine: its files, its commands and what comes of them."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fedps
from fedps.client import Policy, Responder
from fedps.client.tables.owned_table import open_owned
from fedps.engines.client_settings import ClientSettings
from fedps.transports import LocalTransport
from tests.conformance import owners
from tests.conformance.scenario import bits

PAGE = Path(__file__).parents[2] / "docs" / "companies.md"
KEYS = {"bank": "customer", "clinic": "patient", "shop": "member"}
FIT = "risk-2024"


def commands(*begin: str) -> list[list[str]]:
    """Return the words of the page's commands that begin so, without ``fedps``."""
    text = PAGE.read_text("utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = "\n".join(code for kind, code in blocks if not kind).replace("\\\n", " ").splitlines()
    found = [shlex.split(line)[1:] for line in lines if line.startswith("fedps ")]
    return [words for words in found if words[: len(begin)] == list(begin)]


def without(words: list[str], *options: str) -> list[str]:
    """Return a command without some options and their values: where a server is, and whom to trust."""
    left = iter(words)
    return [word for word in left if word not in options or not next(left)]


def between(begin: str, end: str) -> str:
    """Return what stands on the page between two texts."""
    return PAGE.read_text("utf-8").split(begin, 1)[1].split(end, 1)[0]


def write_files(folder: Path) -> None:
    """Write what the page has its reader write."""
    made = between("python - <<'END'\n", "\nEND\n")
    subprocess.run([sys.executable, "-c", made], cwd=folder, check=True)
    policy = between("cat > policy.toml <<'END'\n", "\nEND\n")
    (folder / "policy.toml").write_text(policy, "utf-8")
    pipeline = between("columns of all three:\n\n```python\n", "```\n")
    (folder / "risk.py").write_text(pipeline, "utf-8")
    (folder / "salt.txt").write_text(f"{'2f' * 16}\n", "utf-8")


def pipeline(folder: Path) -> Any:
    """Return the page's pipeline."""
    return runpy.run_path(str(folder / "risk.py"))["pipeline"]


def joined(folder: Path, month: str = "") -> pd.DataFrame:
    """Return all columns of the customers that all have, which nobody has."""
    tables = [
        pd.read_parquet(folder / f"{name}{month}.parquet").astype({key: str}).set_index(key)
        for name, key in KEYS.items()
    ]
    return pd.concat(tables, axis=1, join="inner")


def settings(folder: Path) -> dict[str, ClientSettings]:
    """Return the settings of the owners as the page's commands give them, in the order that engines have."""
    found = {}
    for words in commands("flower", "client"):
        given = {word[2:]: value for word, value in pairwise(words) if word[:2] == "--"}
        places = ("policy", "ledger", "salt", "predictions")
        found[given["name"]] = ClientSettings(
            str(folder / given["data"]),
            given.get("target"),
            split=given["split"],
            key=given["key-column"],
            new=str(folder / given["new"]),
            **{name: folder / given[name] for name in places if name in given},
        )
    return dict(sorted(found.items()))


def follow(run: Callable[[], None], predict: Callable[[], None], folder: Path) -> dict[str, int]:
    """Fit as the page does: a match waits, then the pipeline. Then predict. Return the sizes of ledgers between."""
    for words in ("find the rows that this client and 2 other clients have", "linear model"):
        with pytest.raises(fedps.Refused, match="data owner") as caught:
            run()
        _approve(str(caught.value), folder, words)
    run()
    lines = ledger_lines(folder)
    predict()  # which waits for nobody
    return lines


def _approve(error: str, folder: Path, words: str) -> None:
    names = set(re.findall(r"waits there as '(\w+)'", error))
    for name in KEYS:
        ledger = folder / f"{name}.jsonl"
        (waits,) = [each for each in names if each in owners.command("list", ledger)]
        assert words in " ".join(owners.command("show", ledger, waits).split())
        assert "answers it from now on" in owners.command("approve", ledger, waits)


def ledger_lines(folder: Path) -> dict[str, int]:
    """Return how long the owners' ledgers are."""
    ledgers = {name: folder / f"{name}.jsonl" for name in KEYS}
    return {name: len(path.read_text("utf-8").splitlines()) for name, path in ledgers.items()}


def check_predictions(folder: Path) -> None:
    """Predictions and parts are those of the federation in process, to the bit, and of scikit-learn on pooled rows."""
    (file,) = (folder / "predictions").iterdir()
    found = pd.read_parquet(file)
    assert [*found.columns] == ["patient", "prediction"]
    own, new = joined(folder), joined(folder, "-july").loc[found["patient"].astype(str)]
    assert len(new) == len(joined(folder, "-july"))
    pooled = pipeline(folder).fit(own, own["risk"]).predict(new)
    np.testing.assert_allclose(found["prediction"], pooled, rtol=1e-9)
    federation = _in_process(folder)
    fitted = federation.fit(pipeline(folder), name=FIT)
    shown = {"bank": ["income", "city"], "clinic": ["age"], "shop": ["spent", "visits"]}
    here = federation.predict(fitted, {name: new[columns] for name, columns in shown.items()})
    np.testing.assert_array_equal(found["prediction"], here)
    fedps.save(fitted, folder / "here.skops")
    for name in KEYS:
        part = fedps.load(folder / f"{name}.jsonl.fits" / f"{FIT}.skops")
        assert bits(part) == bits(fedps.load(folder / f"here-{name}.skops"))


def _in_process(folder: Path) -> fedps.Federation:
    salt = (folder / "salt.txt").read_bytes().strip()
    responders = {}
    for name, key in KEYS.items():
        table = pd.read_parquet(folder / f"{name}.parquet")
        target = "risk" if name == "clinic" else None
        own = open_owned(table, target=target, key=key, salt=salt)
        responders[name] = Responder(name, own, Policy.open())
    how: dict[str, Any] = {"split": "columns", "key": "customer", "target": "risk"}
    return fedps.Federation(LocalTransport(responders), match="private", progress=False, **how)

"""docs/companies.md as a reader follows it, over any engine: its files, its commands, and who learns what."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import fedps
from fedps.client import Policy, Responder
from fedps.client.tables.owned_table import open_owned
from fedps.protocol import codec
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


@contextmanager
def overheard() -> Iterator[list[tuple[str, bytes]]]:
    """Note what each client is sent and answers, as it is before it is deflated."""
    heard: list[tuple[str, bytes]] = []
    real = Responder.answer

    def answer(self: Responder, message: Any) -> Any:
        reply = real(self, message)
        heard.extend((self.name, _plain(bytes(each))) for each in (message, reply))
        return reply

    with patch.object(Responder, "answer", answer):
        yield heard


def _plain(message: bytes) -> bytes:
    if message[0] == codec._DEFLATED:
        return codec._inflate(memoryview(message)[1:], "a test")
    return message


def follow(run: Callable[[], None], predict: Callable[[], None], folder: Path) -> dict[str, int]:
    """Fit as the page does: a match waits, then the pipeline. Then predict. Return the sizes of ledgers between."""
    for words in ("find the rows that this client and 2 other clients have", "linear model"):
        with pytest.raises(fedps.Refused, match="data owner") as caught:
            run()
        _approve(str(caught.value), folder, words)
    run()
    lines = {name: len(_ledger(folder, name)) for name in KEYS}
    predict()  # which waits for nobody
    return lines


def _approve(error: str, folder: Path, words: str) -> None:
    names = set(re.findall(r"waits there as '(\w+)'", error))
    for name in KEYS:
        ledger = folder / f"{name}.jsonl"
        (waits,) = [each for each in names if each in owners.command("list", ledger)]
        assert words in " ".join(owners.command("show", ledger, waits).split())
        assert "answers it from now on" in owners.command("approve", ledger, waits)


def _ledger(folder: Path, name: str) -> list[dict[str, Any]]:
    text = (folder / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


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


def check_who_learns_what(
    folder: Path, heard: list[tuple[str, bytes]], fitted: dict[str, int]
) -> None:
    """The page's table: levels in the ledgers, sizes in the messages, and no key and no cell."""
    assert {name for name, _ in heard} == set(KEYS)
    told = b"".join(message for _, message in heard)
    for name, key in KEYS.items():
        seen = told + (folder / f"{name}.jsonl").read_bytes()
        for month in ("", "-july"):
            table = pd.read_parquet(folder / f"{name}{month}.parquet")
            assert not [secret for secret in _secrets(table, key) if secret in seen]
        lines = _ledger(folder, name)
        before, after = lines[: fitted[name]], lines[fitted[name] :]
        assert {line["level"] for line in before} == {"-", "AGGREGATE"}
        rows = {line["statistic"] for line in after if line["level"] == "ROWS"}
        assert rows == {"MaskedPartial"}
        matched = {line["statistic"] for line in lines if line["columns"] == [key]}
        assert matched == {"BlindedKeys", "BlindedAgain", "MatchTable", "Schema", "Keep"}
        sizes = {line["bytes"] // 32 for line in lines if line["statistic"] == "BlindedKeys"}
        assert sizes == {360 + 2, 90 + 2}  # a point for each key, and 66 bytes around them


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

"""Owned: what a client of an engine has besides its table, if it owns some columns of rows that others have, too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedps.assembly.skops_io import skops_io
from fedps.client.tables.files.paths import is_known
from fedps.errors import UsageError

SPLITS = ("rows", "columns")
_SHORTEST_SALT = 16  # bytes


@dataclass(frozen=True)
class Owned:
    """What an owner of columns names in its settings; a server chooses none of it.

    Parameters
    ----------
    key : str, optional
        The column that identifies rows. Owners may call theirs differently.
    new : table, path or callable, optional
        Its columns, and the key, of rows to predict.
    outputs : path, optional
        Where its transformed rows are written: a Parquet or CSV file, or a folder.
    predictions : path, optional
        Where predictions that are delivered to it are written: a Parquet or CSV file, or a folder.
    salt : bytes
        What the owners share that hides keys from a server that guesses them.
    """

    key: str | None = None
    new: Any = None
    outputs: str | Path | None = None
    predictions: str | Path | None = None
    salt: bytes = b""


def read_owned(
    split: Any, key: Any, new: Any, outputs: Any, predictions: Any, salt: Any = None
) -> Owned | None:
    """Return what an owner has, None for a client that holds rows; UsageError for what does not fit."""
    if split not in SPLITS:
        raise UsageError(
            f"split={split!r} is not known: use 'rows' (each client holds some rows of the same columns) or "
            "'columns' (each client holds some columns of the same rows)."
        )
    given = {"key": key, "new": new, "outputs": outputs, "predictions": predictions}
    if split == "rows":
        for name, value in (given | {"salt": salt}).items():
            if value is not None:
                raise UsageError(
                    f'{name} is for clients that hold some columns of the same rows: set split = "columns", or '
                    "leave it out."
                )
        return None
    for name in ("outputs", "predictions"):
        _check_place(name, given[name])
    skops_io()  # parts are kept by it
    return Owned(**given, salt=b"" if salt is None else _read_salt(Path(salt).expanduser()))


def _read_salt(path: Path) -> bytes:
    """Return the secret in a file, without the line's end that editors add."""
    try:
        found = path.read_bytes().strip()
    except OSError as error:
        raise UsageError(f"the salt {str(path)!r} cannot be read: {error.strerror}.") from None
    if len(found) < _SHORTEST_SALT:
        raise UsageError(
            f"the salt in {str(path)!r} has {len(found)} bytes, and can be guessed: use {_SHORTEST_SALT} random ones "
            "or more, such as of: python -c 'import secrets; print(secrets.token_hex(16))'."
        )
    return found


def _check_place(name: str, value: Any) -> None:
    """Refuse a file of a kind that rows are not written as; anything else is the name of a folder."""
    if value is None:
        return
    path = Path(value)
    if path.suffix and not is_known(path) and not path.is_dir():
        raise UsageError(
            f"{name} {str(value)!r}: end it with .parquet, .csv or .csv.gz, or name a folder."
        )


def ledger_of_owner(ledger: Path | None) -> Path:
    """Return the ledger, beside which parts are kept; UsageError without one."""
    if ledger is None:
        raise UsageError(
            'with split = "columns" a client keeps its parts of fits beside its ledger: give it a file for '
            "one, such as bank.jsonl."
        )
    return ledger

"""ClientSettings: where a client's table, policy and ledger are. Only the client's owner sets them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from fedps.client import Responder
from fedps.client.policy_file import read_policy
from fedps.client.tables.cast_columns import read_dtypes
from fedps.client.tables.named_source import is_query_file, named_source
from fedps.client.tables.sources.uri import absolute_uri, is_uri, refuse_password
from fedps.engines.client_answer import open_client
from fedps.engines.owned import read_owned
from fedps.errors import UsageError, did_you_mean


@dataclass(frozen=True)
class ClientSettings:
    """What a client of an engine needs to answer.

    Parameters
    ----------
    data : str
        The path or glob of Parquet, CSV, Feather or Excel files, or the address of a database.
    target : str, optional
        The name of the label column; it is not a feature.
    policy : path, optional
        A policy file. Default: ``fedps.Policy()``.
    ledger : path, optional
        A file to which a line is added for everything that leaves. Needed where the policy limits what
        is told over time, as the default policy does.
    dtypes : dict of str to str, optional
        What some columns are read as, such as ``{"zip": "str"}``.
    query : str, optional
        What to read from a database, or the path of a ``.sql`` file that says it. Nobody else is told.
    read : dict, optional
        How the data is read, by the names of the parameters of ``fedps.CSV``, ``fedps.SQL`` or ``fedps.Excel``, such as
        ``{"sep": ";", "decimal": ","}``.
    split : {"rows", "columns"}, default="rows"
        Whether the client holds some rows of all columns, or some columns of rows that others hold, too.
    key : str, optional
        With ``split = "columns"``, the column that identifies rows. It is not a feature.
    new : str, optional
        With ``split = "columns"``, the files of rows to predict: this client's columns of them, and the key.
    outputs, predictions : path, optional
        With ``split = "columns"``, where this client's transformed rows are written, and predictions that are
        delivered to it: a Parquet or CSV file, or a folder.
    salt : path, optional
        With ``split = "columns"``, a file with a secret that the clients share, and the server does not know.
    """

    data: str
    target: str | None = None
    policy: Path | None = None
    ledger: Path | None = None
    dtypes: Mapping[str, str] | None = None
    query: str | None = None
    read: Mapping[str, Any] | None = None
    split: str = "rows"
    key: str | None = None
    new: str | None = None
    outputs: Path | None = None
    predictions: Path | None = None
    salt: Path | None = None

    def __post_init__(self) -> None:
        refuse_password(self.data, "a client's settings")

    def open(self, name: str, peer: str = "check", requester: str | None = None) -> Responder:
        """Return what answers for the client. A mistake in the settings is an error.

        ``peer`` is who asks, for the ledger, and ``requester`` the user behind it: see ``open_client``.
        """
        policy = read_policy(self.policy) if self.policy else None
        return open_client(
            name,
            named_source(self.data, self.query, self.read),
            policy,
            self.ledger,
            peer,
            target=self.target,
            dtypes=self.dtypes,
            requester=requester,
            owned=read_owned(
                self.split, self.key, self.new, self.outputs, self.predictions, self.salt
            ),
        )

    def absolute(self, folder: Path | None = None) -> Self:
        """Return the settings with absolute paths, relative to a folder or to the current one."""

        def whole(path: str | Path) -> Path:
            return (Path.cwd() if folder is None else folder) / Path(path).expanduser()

        named = {name: getattr(self, name) for name in _PATHS}
        found: dict[str, Any] = {n: whole(path) if path else None for n, path in named.items()}
        found["new"] = str(whole(self.new)) if self.new else None
        found["query"] = str(whole(self.query or "")) if is_query_file(self.query) else self.query
        if is_uri(self.data):
            data = absolute_uri(self.data, Path.cwd() if folder is None else folder)
        else:
            data = str(whole(self.data))
        return replace(self, data=data, **found)

    def given(self) -> dict[str, str]:
        """Return the settings that are not left out, as an engine's config holds them: as texts."""
        all_ = {name: getattr(self, name) for name in SETTINGS}
        for name in _TABLES:
            given = getattr(self, name)
            all_[name] = json.dumps(dict(given)) if given else None
        all_["split"] = None if self.split == "rows" else self.split
        return {name: str(value) for name, value in all_.items() if value is not None}


SETTINGS = tuple(field.name for field in fields(ClientSettings))
_PATHS = ("policy", "ledger", "outputs", "predictions", "salt")
_TABLES = ("dtypes", "read")  # of names and values
_NAMES = ("target", "key")  # of columns, which may be called 6


def read_settings(config: Mapping[str, Any], where: str, example: str) -> ClientSettings:
    """Return the settings in a config. A mistake in it is a UsageError.

    ``where`` is what the config is called, and ``example`` how it could say where the data is.
    """
    for key, value in config.items():
        if key not in SETTINGS:
            raise unknown_setting(where, key, SETTINGS)
        if (key in _TABLES and isinstance(value, Mapping)) or (
            key in _NAMES and type(value) is int
        ):
            continue
        if not isinstance(value, str) or not value:
            raise UsageError(f"{key!r} of {where} must be a string in quotes; got {value!r}.")
    if "data" not in config:
        raise UsageError(f"{where} does not say where the data is: {example}")
    given: dict[str, Any] = {**config}
    given |= {name: _table(name, config[name], where) for name in _TABLES if name in config}
    if "dtypes" in given:
        given["dtypes"] = read_dtypes(given["dtypes"])
    given |= {name: Path(config[name]) for name in _PATHS if name in config}
    given |= {name: str(config[name]) for name in _NAMES if name in config}
    return ClientSettings(**given)


def _table(name: str, given: Any, where: str) -> Any:
    """Return names and values: a table of TOML, or the same as JSON where only texts can be."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError:
        example = {"dtypes": '{"zip": "str"}', "read": '{"sep": ";"}'}[name]
        raise UsageError(f"{name!r} of {where} is not JSON, such as {example!r}.") from None


def unknown_setting(where: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a setting that does not exist.

    >>> str(unknown_setting("fedps.toml", "dat", ["data", "target"]))
    "fedps.toml has 'dat', which is not one of data, target. Did you mean 'data'?"
    """
    every = list(known)
    listed = ", ".join(every)
    return UsageError(
        f"{where} has {name!r}, which is not one of {listed}.{did_you_mean(name, every)}"
    )

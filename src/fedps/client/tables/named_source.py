"""named_source: a client's table as a file or the command line names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from fedps.client.tables.files.csv_options import CSV
from fedps.client.tables.files.excel_sheets import Excel
from fedps.client.tables.files.paths import EXCEL, FEATHER, PARQUET
from fedps.client.tables.sources.uri import is_uri, shown_uri, without_password
from fedps.client.tables.sql.sql import SQL
from fedps.errors import UsageError, did_you_mean

_NOT_OPTIONS = ("path", "uri", "query", "dtypes")


def named_source(data: str, query: str | None = None, read: Mapping[str, Any] | None = None) -> Any:
    """Return a table as ``Federation`` takes it.

    Parameters
    ----------
    data : str
        The path of files, or the address of a database.
    query : str, optional
        The query of a database, or the path of a ``.sql`` file with it.
    read : mapping, optional
        How it is read, by the names of the parameters of :class:`fedps.CSV`, :class:`fedps.SQL` or :class:`fedps.Excel`.

    Examples
    --------
    >>> named_source("oslo.csv", read={"sep": ";"}).sep
    ';'
    >>> named_source("sqlite:///oslo.db", "SELECT * FROM visits")
    SQL('sqlite:///oslo.db', 'SELECT * FROM visits')
    """
    if is_uri(data):
        if not query:
            raise UsageError(
                f"{shown_uri(data)} needs a query: query = 'SELECT ...', or the path of a .sql file."
            )
        return SQL(data, query_text(query), **_options(SQL, read))
    if query:
        raise UsageError(
            f"a query is for databases, and {without_password(data)!r} is a file: leave it out."
        )
    if not read:
        return data
    name = data.lower()
    if name.endswith(EXCEL):
        return Excel(data, **_options(Excel, read))
    if name.endswith((*PARQUET, *FEATHER)):
        raise UsageError(
            f"{Path(data).name}: there are no options of how to read it: {', '.join(read)}."
        )
    return CSV(data, **_options(CSV, read))


def is_query_file(query: str | None) -> bool:
    """Return whether a query is the path of a file that has it.

    >>> is_query_file("queries/oslo.sql"), is_query_file("SELECT * FROM a.sql")
    (True, False)
    """
    return bool(query) and str(query).lower().endswith(".sql") and len(str(query).split()) == 1


def query_text(query: str) -> str:
    """Return a query, or the text of the file that is named."""
    if not is_query_file(query):
        return query
    try:
        return Path(query).expanduser().read_text("utf-8")
    except (OSError, UnicodeError):
        raise UsageError(f"the query {query!r} cannot be read as a file.") from None


def _options(kind: type, read: Mapping[str, Any] | None) -> dict[str, Any]:
    known = {field.name: field for field in fields(kind) if field.name not in _NOT_OPTIONS}
    found = {}
    for name, value in (read or {}).items():
        if name not in known:
            raise UsageError(
                f"read: {kind.__name__} has no option {name!r}.{did_you_mean(name, known)} It has {', '.join(known)}."
            )
        found[name] = _value(str(known[name].type), value)
    return found


def _value(kind: str, value: Any) -> Any:
    """Return a value that may have come as text, as the command line has it.

    >>> _value("Sequence[str]", "?,-200"), _value("int", "2"), _value("bool", "false"), _value("str", ",")
    (['?', '-200'], 2, False, ',')
    """
    if not isinstance(value, str):
        return value
    if kind.startswith("Sequence"):
        return value.split(",")
    if kind == "bool":
        return value.lower() in ("true", "yes", "1")
    if kind == "int" and value.isdecimal():
        return int(value)
    if kind.startswith("float"):
        try:
            return float(value)
        except ValueError:
            return value
    return int(value) if kind == "str | int" and value.isdecimal() else value

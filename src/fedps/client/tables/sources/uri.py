"""Addresses of databases: how they are shown, and where their passwords come from."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, urlsplit

from fedps.errors import UsageError

_SCHEME = re.compile(r"^([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)")
_SECRET = re.compile(r"(?i)(pass|pwd|secret|token|key|credential)")
_HIDDEN = "***"
IN_FILES = ("sqlite", "duckdb")


def is_uri(text: str) -> bool:
    """Return whether a text is an address and not a path.

    >>> is_uri("postgresql://oslo/db"), is_uri("data/oslo.csv")
    (True, False)
    """
    return _SCHEME.match(text) is not None


def scheme_of(uri: str) -> str:
    """Return the kind of database of an address.

    >>> scheme_of("postgres://oslo/db"), scheme_of("sqlite:///oslo.db")
    ('postgresql', 'sqlite')
    """
    found = _SCHEME.match(uri)
    name = "" if found is None else found[1].lower()
    return "postgresql" if name == "postgres" else name


def shown_uri(uri: str) -> str:
    """Return an address as it may be shown: without passwords, and without what might be one.

    >>> shown_uri("postgresql://ana:hunter2@oslo/db?sslmode=require&password=x")
    'postgresql://ana:***@oslo/db?sslmode=require&password=***'
    >>> shown_uri("postgresql://ana:p@ss/w?rd@oslo/db")
    'postgresql://ana:***@oslo/db'
    """
    found = _SCHEME.match(uri)
    if found is None:
        return _HIDDEN
    start, rest = uri[: found.end()], uri[found.end() :]
    before, at, place = rest.rpartition("@")  # a password may have any letter, also an @
    if at:
        user, colon, _ = before.partition(":")
        start += user + (f":{_HIDDEN}" if colon else "") + "@"
    address, asked, options = place.partition("?")
    pairs = [pair.partition("=") for pair in options.split("&")]
    safe = [
        f"{name}{equals}{_HIDDEN if _SECRET.search(name) else value}"
        for name, equals, value in pairs
    ]
    return start + address + asked + "&".join(safe)


def without_password(text: str) -> str:
    """Return a text as it may be shown, which may have an address in it.

    >>> without_password("oslo=postgresql://ana:hunter2@oslo/db"), without_password("oslo.csv")
    ('oslo=postgresql://ana:***@oslo/db', 'oslo.csv')
    """
    found = re.search(r"[A-Za-z][A-Za-z0-9+.-]*://", text)
    return text if found is None else text[: found.start()] + shown_uri(text[found.start() :])


def has_password(uri: str) -> bool:
    """Return whether an address has a password in it, and not the name of a variable instead.

    >>> has_password("postgresql://ana:hunter2@oslo/db"), has_password("postgresql://ana:$PW@oslo/db")
    (True, False)
    """
    return _HIDDEN in shown_uri(_VARIABLE.sub("", uri).replace(":@", "@"))


def refuse_password(uri: str, where: str) -> None:
    """Refuse an address with a password where others could read it."""
    if is_uri(uri) and has_password(uri):
        raise UsageError(
            f"{shown_uri(uri)} has a password, which {where} would show. Name a variable of the environment instead, "
            "${OSLO_PASSWORD}, or for PostgreSQL set PGPASSWORD or use a .pgpass file."
        )


def filled_in(uri: str) -> str:
    """Return an address with the variables of the environment that it names; UsageError if one is not set."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name not in os.environ:
            raise UsageError(
                f"{shown_uri(uri)} names ${name}, which is not set in the environment."
            )
        return quote(os.environ[name], safe="")

    return _VARIABLE.sub(value, uri)


def file_of(uri: str) -> Path:
    """Return the file of a database that is one: three slashes and a path.

    >>> file_of("sqlite:///data/oslo.db").as_posix(), file_of("duckdb:////data/oslo.duckdb").as_posix()
    ('data/oslo.db', '/data/oslo.duckdb')
    """
    path = urlsplit(uri).path
    if urlsplit(uri).netloc or len(path) < 2:
        name = scheme_of(uri)
        raise UsageError(
            f"a {name} address is {name}:///path/of/the/file: three slashes, then the path."
        )
    return Path(path[1:]).expanduser()


def absolute_uri(uri: str, folder: Path) -> str:
    """Return an address whose file, if it is one, is relative to a folder."""
    name = scheme_of(uri)
    return f"{name}:///{folder / file_of(uri)}" if name in IN_FILES else uri

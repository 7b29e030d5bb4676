"""LedgerIndex: the totals of a ledger in a small database, so that nobody has to read a million lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec
from msgspec import Struct, structs

from fedps.client.ledger.account import Account, Spent
from fedps.client.ledger.entry import Charge, Entry, line_digest, line_of

_AT_ONCE = 500  # keys in a query
MINUTE = 60.0  # seconds in which equal answers are counted and not written again

_FORMAT = 1
_TABLES = """
CREATE TABLE state (here INTEGER PRIMARY KEY CHECK (here = 1), state BLOB);
CREATE TABLE spent (name TEXT PRIMARY KEY, shown INTEGER, numbers INTEGER);
CREATE TABLE known (key TEXT, name TEXT, PRIMARY KEY (key, name)) WITHOUT ROWID;
CREATE TABLE recent (kind TEXT PRIMARY KEY, written REAL, times INTEGER, fits INTEGER, entry BLOB);
"""
_NAMES = ("state", "spent", "known", "recent")


class IndexState(Struct, frozen=True):
    """How much of the file was counted: its line of this number, length and digest ends at an offset."""

    offset: int = 0
    length: int = 0  # of the line, with its end
    digest: str = ""
    lines: int = 0
    fits: int = 0
    lost: int = 0  # how many lines there were when the file turned out to be another one


class LedgerIndex:
    """Totals of a ledger, known charges, and what was written or counted in the last minute.

    Everything but what is counted follows from the ledger. Charges are known by column and key.

    Parameters
    ----------
    database : sqlite3.Connection
        Where it is kept, without automatic transactions.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._run = database.execute

    def make(self) -> None:
        """Make the tables, unless they are there in this format."""
        if self._run("PRAGMA user_version").fetchone()[0] != _FORMAT:
            for name in _NAMES:
                self._run(f"DROP TABLE IF EXISTS {name}")
            for table in filter(str.strip, _TABLES.split(";")):
                self._run(table)
            self.state = IndexState()
            self._run(f"PRAGMA user_version = {_FORMAT}")

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keep all changes, or none if an exception is raised."""
        self._run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.rollback()
            raise
        try:
            self._run("COMMIT")
        except sqlite3.Error as error:
            self._database.rollback()
            raise OSError(f"the index of the ledger cannot be written: {error}") from error

    @property
    def state(self) -> IndexState:
        """How much of the file was counted."""
        found = self._run("SELECT state FROM state").fetchone()
        return msgspec.json.decode(found[0] if found else b"", type=IndexState)

    @state.setter
    def state(self, state: IndexState) -> None:
        self._run("REPLACE INTO state VALUES (1, ?)", (msgspec.json.encode(state),))

    def clear(self) -> None:
        """Forget everything but that the file had other lines: it is counted again."""
        was = self.state
        for name in _NAMES:
            self._run(f"DELETE FROM {name}")  # noqa: S608 - one of ours
        self.state = IndexState(lost=max(was.lost, was.lines))

    def account(self) -> Account:
        """Return the totals; charges are looked up in this index for as long as it is open."""
        rows = self._run("SELECT name, shown, numbers FROM spent")
        return Account(self.fits(), {name: Spent(*both) for name, *both in rows}, self.knows)

    def fits(self) -> int:
        """Return the number of fits, those that are only counted included."""
        (counted,) = self._run("SELECT coalesce(sum(times * fits), 0) FROM recent").fetchone()
        return self.state.fits + int(counted)

    def knows(self, key: str) -> bool:
        """Return whether a key was charged, to any column."""
        return self._run("SELECT 1 FROM known WHERE key = ?", (key,)).fetchone() is not None

    def known_of(self, charges: Sequence[Charge]) -> set[tuple[str, str]]:
        """Return which of some charges are known, by key and column."""
        keys = [charge.key for charge in charges]
        found: set[tuple[str, str]] = set()
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            found.update(self._run(f"SELECT key, name FROM known WHERE key IN ({marks})", some))  # noqa: S608
        return found

    def add(self, entry: Entry) -> int:
        """Add what an entry charges, and return how many fits it stands for."""
        known = self.known_of(entry.charges)
        new = {(c.key, c.column): c for c in entry.charges if (c.key, c.column) not in known}
        self._database.executemany("INSERT INTO known VALUES (?, ?)", new)
        self._database.executemany(
            "INSERT INTO spent VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
            "SET shown = shown + excluded.shown, numbers = numbers + excluded.numbers",
            [(charge.column, charge.values, charge.numbers) for charge in new.values()],
        )
        return entry.times if entry.is_fit else 0

    def written(self, entry: Entry, now: float) -> None:
        """Note that an entry is a line of the file now."""
        last = line_of(structs.replace(entry, charges=(), line=0, before=""))
        kept = (entry.kind(), now, entry.is_fit, last)
        self._run("REPLACE INTO recent VALUES (?, ?, 0, ?, ?)", kept)

    def is_recent(self, entry: Entry, now: float) -> bool:
        """Return whether an equal entry was written in the last minute."""
        found = self._run("SELECT written FROM recent WHERE kind = ?", (entry.kind(),)).fetchone()
        # a clock that was set back must not silence the ledger until that time comes again
        return found is not None and abs(now - found[0]) < MINUTE

    def take(self, entry: Entry) -> int:
        """Return how many entries of a kind were counted, to be written now; none is counted then."""
        kind = (entry.kind(),)
        found = self._run("SELECT times FROM recent WHERE kind = ?", kind).fetchone()
        self._run("DELETE FROM recent WHERE kind = ?", kind)
        return int(found[0]) if found else 0

    def count(self, entry: Entry) -> None:
        """Count an entry that equals one that was written."""
        last = line_of(entry)
        values = (entry.times, last, entry.kind())
        self._run("UPDATE recent SET times = times + ?, entry = ? WHERE kind = ?", values)

    def counted(self) -> list[Entry]:
        """Return what was counted and is not in the file yet, by kind."""
        rows = self._run("SELECT entry, times FROM recent WHERE times > 0 ORDER BY written")
        return [_counted(*row) for row in rows]

    def overdue(self, now: float) -> list[Entry]:
        """Return what was counted until a minute ago, to be taken and written; ``times`` is 0.

        Kinds that old of which nothing was counted are forgotten.
        """
        old = (now, MINUTE)
        self._run("DELETE FROM recent WHERE times = 0 AND abs(? - written) >= ?", old)
        rows = self._run("SELECT entry, 0 FROM recent WHERE abs(? - written) >= ?", old)
        return [_counted(*row) for row in rows]


def chained(entry: Entry, state: IndexState) -> tuple[Entry, bytes, IndexState]:
    """Return an entry as the next line of a file, that line, and how much is counted then."""
    entry = structs.replace(entry, line=state.lines + 1, before=state.digest)
    line = line_of(entry) + b"\n"
    return entry, line, after_line(state, entry.line, line, state.offset + len(line))


def after_line(state: IndexState, number: int, line: bytes, end: int) -> IndexState:
    """Return how much is counted after a line that ends there."""
    digest = line_digest(line.rstrip(b"\n"))
    return structs.replace(state, offset=end, length=len(line), digest=digest, lines=number)


def _counted(entry: bytes, times: int) -> Entry:
    return structs.replace(msgspec.json.decode(entry, type=Entry), times=times)

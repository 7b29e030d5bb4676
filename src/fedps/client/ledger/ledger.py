"""Ledger: a client's own record of what left it. Enough for an audit, without any cell."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from fedps.client.file_lock import file_lock
from fedps.client.ledger.account import Account, CommitCheck
from fedps.client.ledger.entry import IN_PROCESS, Charge, Entry, line_digest
from fedps.client.ledger.index_file import check_index, read_known, with_index
from fedps.client.ledger.ledger_index import LedgerIndex, chained
from fedps.client.ledger.ledger_lines import append, check_writable
from fedps.client.ledger.ledger_table import answers_table
from fedps.errors import UsageError
from fedps.protocol.messages import Refusal
from fedps.report.rendering import Rendered, Section

MOST_UNSETTLED = 100  # commits in memory that nobody has looked at

_Made = TypeVar("_Made")


def utc_clock() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class Ledger(Rendered):
    """All answers of a client, oldest first.

    ``note`` collects the answers of a round. ``commit`` makes them final: with a path they are
    appended to that file as lines of JSON, and are on the disk when it returns. ``drop`` discards what
    was noted since the last commit, because it is not sent. Each thread has its own notes.

    An answer that equals one of the last minute and charges nothing new is counted. Its line, with the
    count, is written with the first commit after that minute. Beside a ledger file are its index, which
    can be removed, and a lock.

    Parameters
    ----------
    path : str or Path, default=None
        The file to append to; it is created if necessary. Default: in memory only.
    peer : str, default="in process"
        Who asks, as written into the entries.
    clock : callable, default=utc_clock
        Gives the time, in UTC.

    Examples
    --------
    >>> ledger = Ledger(peer="hospital-net")
    >>> ledger.note(1, "Moments", ("age",), "AGGREGATE", b"the answer", "sent", question="its mean")
    >>> ledger.commit()
    >>> [(entry.peer, entry.question, entry.bytes) for entry in ledger.entries]
    [('hospital-net', 'its mean', 10)]
    """

    def __init__(
        self,
        path: str | Path | None = None,
        peer: str = IN_PROCESS,
        *,
        clock: Callable[[], datetime] = utc_clock,
    ) -> None:
        self.path = None if path is None else Path(path).expanduser()
        self.peer = peer
        self._clock = clock
        self._lines: list[Entry] = []
        self._noted: dict[int, list[Entry]] = {}  # by thread
        self._in_memory: LedgerIndex | None = None
        self._unsettled: list[tuple[float, Sequence[Entry]]] = []  # in memory, with their times
        self._lock = threading.Lock()
        self._last: tuple[int, Account] | None = None  # the account when the file had this size
        if self.path is not None:
            check_writable(self.path)
            try:
                check_index(self.path.resolve())
            except OSError as error:
                raise UsageError(f"the ledger {str(path)!r} cannot be used: {error}.") from None

    def sections(self) -> list[Section]:
        """Return the answers that this object wrote, as a table."""
        where = "in memory" if self.path is None else f"{self.path.name}, written here"
        return [answers_table(f"Ledger {where}, asked by {self.peer!r}", self.entries)]

    @property
    def entries(self) -> list[Entry]:
        """What this object wrote, and what was noted since. In memory, also what is only counted."""
        counted: list[Entry] = []
        if self.path is None:
            counted = self._with_index(lambda index, _: index.counted())
        return [*self._lines, *counted, *self._own_notes()]

    def note(  # noqa: PLR0913 - what is in a line
        self,
        number: int,
        statistic: str,
        columns: tuple[str, ...],
        level: str,
        answer: bytes,
        outcome: str,
        *,
        question: str = "",
        pipeline: str = "",
        approval: str = "",
        charges: Sequence[Charge] = (),
    ) -> None:
        """Add one answer.

        Parameters
        ----------
        number : int
            The round.
        statistic : str
            What was computed, by its name.
        columns : tuple of str
            Every column that was read.
        level : str
            What kind of answer it is: AGGREGATE, SUMMARY, ROWS, or "-".
        answer : bytes
            The answer. Its length and a digest are kept.
        outcome : {"sent", "refused", "failed", "kept"}
            What became of it.
        question : str, default=""
            What was asked, in words.
        pipeline : str, default=""
            The digest of the pipeline that it is asked for.
        approval : str, default=""
            Who agreed to the pipeline: "policy", or "owner" and the name of a request.
        charges : sequence of Charge, default=()
            What the answer tells about each column, whatever its outcome.
        """
        entry = Entry(
            time=self._clock().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            peer=self.peer,
            round=number,
            statistic=statistic,
            question=question,
            columns=columns,
            level=level,
            bytes=len(answer),
            digest=blake2b(answer, digest_size=8).hexdigest(),
            outcome=outcome,
            pipeline=pipeline,
            approval=approval,
            charges=tuple(charges),
        )
        self._noted.setdefault(threading.get_ident(), []).append(entry)

    def commit(self, check: CommitCheck | None = None) -> Refusal | None:
        """Make final what was noted; raise OSError if that fails.

        To be called before an answer leaves: rather an entry about an answer that did not arrive than
        an answer without an entry. Counting, checking and writing are one step, also if several threads or
        processes share the ledger.

        Parameters
        ----------
        check : callable, default=None
            Gets the account of everything before, the charges that are new, and the number of fits that
            begin. If it returns a refusal, what was noted is dropped, and the refusal returned.
        """
        noted = self._own_notes()
        if not noted:
            return None
        if self.path is None and check is None:
            self._settle_later(noted)
            return None

        def work(index: LedgerIndex, rest: bytes) -> tuple[Refusal | None, list[Entry]]:
            new = _only_new(noted, index)
            now = self._clock().timestamp()
            if check is not None:
                charges = [charge for entry in new for charge in entry.charges]
                fits = sum(entry.is_fit for entry in new)
                refusal = check(index.account(), charges, fits)
                if refusal is not None:
                    return refusal, []
            lines = self._write(index, rest, new, now)
            if check is not None:
                self._keep(index.account())
            return None, lines

        refusal, lines = self._with_index(work)
        self._lines += lines
        self.drop()
        return refusal

    def account(self) -> Account:
        """Return what all answers add up to, those that other processes wrote included.

        Fits that only repeat others may be missing until a line is written; ``commit`` counts them.
        """
        if self.path is None:
            return self._with_index(lambda index, _: index.account())
        if self._last is None or self._last[0] != self._size():
            self._with_index(lambda index, _: self._keep(index.account()))
        assert self._last is not None
        return self._last[1]

    def _keep(self, account: Account) -> None:
        """Keep an account for as long as the file is not longer than now: nobody else writes meanwhile."""
        if self.path is not None:
            ledger = self.path.resolve()
            known = Account(account.fits, account.by_column, lambda key: read_known(ledger, key))
            self._last = self._size(), known

    def _size(self) -> int:
        assert self.path is not None
        return self.path.stat().st_size if self.path.exists() else 0

    def drop(self) -> None:
        """Discard what was noted since the last commit: it is not sent."""
        self._noted.pop(threading.get_ident(), None)

    def _own_notes(self) -> list[Entry]:
        return self._noted.get(threading.get_ident(), [])

    def _with_index(self, work: Callable[[LedgerIndex, bytes], _Made]) -> _Made:
        """Return what some work gives that is done while nobody else counts or writes."""
        if self.path is not None:
            ledger = self.path.resolve()  # two links to one file have one lock
            with file_lock(ledger.with_name(ledger.name + ".lock")):
                return with_index(ledger, work)
        with self._lock:
            if self._in_memory is None:
                self._in_memory = _index_in_memory(self)
            with self._in_memory.changing():
                self._settle(self._in_memory)
            with self._in_memory.changing():
                return work(self._in_memory, b"")

    def _settle_later(self, noted: Sequence[Entry]) -> None:
        """Keep what was noted until somebody looks: in memory, that is all that makes it final."""
        with self._lock:
            self._unsettled.append((self._clock().timestamp(), noted))
        self.drop()
        if len(self._unsettled) > MOST_UNSETTLED:
            self._with_index(lambda *_: None)

    def _settle(self, index: LedgerIndex) -> None:
        """Write or count what was kept for later."""
        for now, noted in self._unsettled:
            self._lines += self._write(index, b"", _only_new(noted, index), now)
        self._unsettled.clear()

    def _write(
        self, index: LedgerIndex, rest: bytes, new: Sequence[Entry], now: float
    ) -> list[Entry]:
        """Write or count entries, and return those that were written, chained to what was there."""
        state = index.state
        if rest:  # the last line is broken: it must not swallow the next one
            digest = line_digest(rest)
            offset = state.offset + len(rest) + 1
            state = structs.replace(state, digest=digest, lines=state.lines + 1, offset=offset)
        written, data = [], [b"\n" if rest else b""]
        for entry in _to_write(index, new, now):
            whole, line, state = chained(entry, state)
            written.append(whole)
            data.append(line)
            index.written(whole, now)
        if written:
            fits = sum(index.add(entry) for entry in written)
            index.state = structs.replace(state, fits=state.fits + fits)
            if self.path is not None:
                append(self.path.resolve(), b"".join(data))
        return written


def _only_new(noted: Sequence[Entry], index: LedgerIndex) -> list[Entry]:
    """Return entries with those of their charges that are not known, each once."""
    seen = index.known_of([charge for entry in noted for charge in entry.charges])
    found = []
    for entry in noted:
        new = []
        for charge in entry.charges:
            both = (charge.key, charge.column)
            if both not in seen:
                new.append(charge)
            seen.add(both)
        found.append(structs.replace(entry, charges=tuple(new)))
    return found


def _to_write(index: LedgerIndex, new: Sequence[Entry], now: float) -> list[Entry]:
    """Return the entries that get a line each; equal ones get one, or are counted if there is a line."""
    groups: dict[str, list[Entry]] = {}
    for entry in [*index.overdue(now), *new]:
        groups.setdefault(entry.kind(), []).append(entry)
    found = []
    for same in groups.values():
        charges = tuple(charge for entry in same for charge in entry.charges)
        times = sum(entry.times for entry in same)
        entry = structs.replace(same[-1], charges=charges, times=times)
        if not charges and index.is_recent(entry, now):
            index.count(entry)
        else:
            found.append(structs.replace(entry, times=times + index.take(entry)))
    return found


def _index_in_memory(owner: Ledger) -> LedgerIndex:
    """Return an index that lasts as long as its ledger."""
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    weakref.finalize(owner, database.close)
    index = LedgerIndex(database)
    index.make()
    return index

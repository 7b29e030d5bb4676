"""A transport in process that knows its clients by address until they have told their names."""

from __future__ import annotations

from tests.faults.faulty import Faulty


class Addressed:
    """A faulty transport whose clients are known by address first; ``addresses`` are by name.

    Its faults go by the clients' names, as do those of ``Faulty``.
    """

    def __init__(self, inner: Faulty, addresses: dict[str, str]):
        self.inner = inner
        self._addresses = dict(addresses)
        self._names = {}

    @property
    def names(self):
        return self._names

    @property
    def nameless(self):
        return len(self._names) < len(self._addresses)

    def clients(self):
        return tuple(sorted(self._names.get(a, a) for a in self._addresses.values()))

    def introduce(self, names):
        self._names |= names

    def exchange(self, messages):
        called = {n: self._names.get(a, a) for n, a in self._addresses.items()}
        known = {shown: name for name, shown in called.items()}
        for name, reply in self.inner.exchange({known[c]: m for c, m in messages.items()}):
            yield called[name], reply

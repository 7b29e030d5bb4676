"""Owners of columns whose processes live for one message only, as Flower's do, and a server that may die."""

from __future__ import annotations

import fedps
from tests.conformance import columns
from tests.faults.faulty import ServerDies


class OpenedAnew:
    """A transport whose owners are opened for each message from their settings, and remember by a journal.

    The server dies after ``crash_after`` replies. Each message in ``repeated`` comes twice.
    """

    def __init__(self, folder, *, crash_after=None, lost=None, repeated=False, settings=None):
        self.settings = settings or columns.settings(folder)
        self.heard = {}
        self.replies = 0
        self._crash_after = crash_after
        self._lost = lost or (lambda name, number: None)
        self._repeated = repeated

    def clients(self):
        return tuple(self.settings)

    def exchange(self, messages):
        for name, message in messages.items():
            if self.replies == self._crash_after:
                raise ServerDies
            self.replies += 1
            reply = self.answer(name, message)
            if self._repeated:
                assert self.answer(name, message) == reply
            yield name, self._lost(name, self.replies) or reply

    def answer(self, name, message):
        """Let an owner answer in a process of its own."""
        opened = self.settings[name].open(name, "test")
        opened.remember(self.heard.get(name, ()))
        reply = opened.answer(message)
        self.heard[name] = opened.heard
        return reply


def there(transport, **options):
    """Return the federation of such owners."""
    return fedps.Federation(transport, progress=False, **{**columns.HOW, **options})

"""Ledgers for tests: a clock that is set by hand, and files of any length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """A time that passes when a test says so."""

    def __init__(self):
        self.now = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)

    def __call__(self):
        return self.now

    def forward(self, seconds):
        self.now += timedelta(seconds=seconds)

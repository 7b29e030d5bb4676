"""The progress line."""

import io

import pytest
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.report import progress
from fedps.report.progress import Progress
from tests.parts.report.people import NUMBERS, impute_scale, people, thirds


class Terminal(io.StringIO):
    """A terminal that also knows what is on its last line now."""

    def isatty(self):
        return True

    @property
    def line(self):
        shown = []
        place = 0
        for letter in self.getvalue():
            if letter == "\r":
                place = 0
                continue
            shown[place : place + 1] = [letter]
            place += 1
        return "".join(shown).rstrip()


@pytest.fixture
def clock(monkeypatch):
    """A clock that only goes on when told to."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_progress_waits_a_moment(clock):
    terminal = Terminal()
    line = Progress(3, stream=terminal)
    line.update(1, 1)
    clock[0] += 0.9
    line.update(1, 2)
    line.close()
    assert terminal.getvalue() == ""


def test_progress_says_rounds_and_clients(clock):
    terminal = Terminal()
    line = Progress(12, stream=terminal)
    clock[0] += 1.1
    line.update(3, 11)
    assert terminal.line == "fedps: round 3, 11 of 12 clients answered"
    line.update(4, 1)
    assert terminal.line == "fedps: round 4, 1 of 12 clients answered"
    line.close()
    assert terminal.line == ""
    assert terminal.getvalue().endswith("\r")
    assert "\n" not in terminal.getvalue()


def test_progress_is_for_terminals_unless_asked_for(clock):
    stream = io.StringIO()
    line = Progress(2, stream=stream)
    clock[0] += 2
    line.update(1, 1)
    assert stream.getvalue() == ""
    line = Progress(2, show=True, stream=stream)
    clock[0] += 2
    line.update(1, 1)
    assert "1 of 2 clients" in stream.getvalue()


def test_a_long_fit_shows_progress_and_takes_it_away(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    federation = fedps.Federation(thirds(people(), NUMBERS))
    federation.fit(impute_scale())
    for number in (1, 2):
        assert f"fedps: round {number}, 3 of 3 clients answered" in terminal.getvalue()
    assert terminal.line == ""


def test_progress_is_taken_away_when_a_fit_fails(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with pytest.raises(fedps.ClientError):
        fedps.Federation(thirds(people())).fit(StandardScaler())
    assert "clients answered" in terminal.getvalue()
    assert terminal.line == ""


def test_nothing_is_written_where_there_is_no_terminal(capfd, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    fedps.fit(StandardScaler(), thirds(people(), NUMBERS))
    assert capfd.readouterr() == ("", "")

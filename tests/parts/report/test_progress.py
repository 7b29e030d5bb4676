"""The progress line."""

import contextlib
import io
import sys
import time

import numpy as np
import pytest
from sklearn.pipeline import make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    PowerTransformer,
    StandardScaler,
)

import fedps
from fedps.report import progress
from fedps.report.progress import Progress
from fedps.report.progress_lines import ExpectedRounds
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
    assert terminal.line == "fedps: round 3, 11 of 12 clients answered, 0:01"
    clock[0] += 71
    line.update(4, 1)
    assert terminal.line == "fedps: round 4, 1 of 12 clients answered, 1:12"
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
        assert f"fedps: round {number} of 2, 3 of 3 clients answered" in terminal.getvalue()
    assert terminal.line == ""


def test_it_says_how_many_rounds_to_expect(clock):
    terminal, asked = Terminal(), []

    def expect():
        asked.append(len(asked))
        return ExpectedRounds(3, or_more=True) if len(asked) == 2 else None

    line = Progress(2, stream=terminal, expect=expect)
    line.update(1, 1)
    assert asked == []  # only for fits that take long
    clock[0] += 1
    for number, answered, words in [
        (1, 1, "round 1, 1 of 2"),
        (1, 2, "round 1, 2 of 2"),
        (2, 1, "round 2 of 3 or more, 1 of 2"),
        (3, 1, "round 3 of 3 or more, 1 of 2"),
        (4, 1, "round 4, 1 of 2"),
    ]:
        line.update(number, answered)
        assert terminal.line == f"fedps: {words} clients answered, 0:01"
    assert asked == [0, 1]  # once in a round, until it is known


def test_the_line_appears_though_nobody_answers(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "TICK", 0.01)
    terminal = Terminal()
    line = Progress(2, stream=terminal)
    line.start(1)
    while "round 1, 0 of 2 clients answered, 0:00" not in terminal.getvalue():
        time.sleep(0.01)
    line.close()
    assert terminal.line == ""


ROWS = people()[NUMBERS].fillna(0)
EXPECTED = {
    "exact": (dict(thirds(ROWS)), {}, impute_scale(), [2, False]),
    "or more": (dict(thirds(ROWS)), {}, PowerTransformer(), [1, True]),
    "own function": (dict(thirds(ROWS)), {}, FunctionTransformer(np.sort), None),
    "columns": ({"a": ROWS[["age"]], "b": ROWS[["chol"]]}, {"split": "columns"}, Normalizer(), [1, False]),
}  # fmt: skip


@pytest.mark.parametrize("case", EXPECTED)
def test_what_a_fit_expects(monkeypatch, case):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    clients, options, estimator, expected = EXPECTED[case]
    told = []

    class Line:
        def __init__(self, clients):
            pass

        def expect(self, rounds, or_more):
            told.append([rounds, or_more])

        def update(self, number, answered):
            pass

        def close(self):
            pass

    with contextlib.suppress(fedps.UsageError):  # the function is refused
        fedps.fit(estimator, clients, progress=Line, **options)
    assert told == ([] if expected is None else [expected])


def test_a_rehearsal_says_nothing_and_costs_no_round(monkeypatch, recwarn):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress.sys, "stderr", Terminal())
    shown, quiet = (fedps.Federation(thirds(ROWS), progress=show) for show in (True, False))
    for federation in (shown, quiet):
        federation.fit(make_union(PowerTransformer(), KBinsDiscretizer(quantile_method="linear")))
    assert shown.run.rounds == quiet.run.rounds
    assert shown.run.bytes_down == quiet.run.bytes_down
    assert [*recwarn] == []


# In a notebook


class Kernel:
    """What is needed of IPython: a shell with a kernel, and displays that can be changed."""

    def __init__(self):
        self.kernel = self
        self.shown = []

    def get_ipython(self):
        return self

    def display(self, data, *, raw, display_id):
        assert raw and display_id  # noqa: PT018
        self.shown.append(data)
        return self

    def update(self, data, *, raw):
        self.shown.append(data)


def test_a_notebook_shows_a_bar_and_takes_it_away(monkeypatch):
    kernel = Kernel()
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", kernel)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    fedps.fit(StandardScaler(), thirds(ROWS))
    words = "round 1 of 1, 3 of 3 clients answered, 0:00"
    assert kernel.shown[-2] == {
        "text/plain": f"fedps: {words}",
        "text/html": f'<div><progress max="3" value="3"></progress> {words}</div>',
    }
    assert kernel.shown[-1] == {"text/plain": "", "text/html": ""}


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

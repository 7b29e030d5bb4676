"""The chain of a ledger's lines: which ones were removed, changed, moved or inserted."""

from __future__ import annotations

import pytest

from fedps.client import Ledger
from fedps.client.ledger import check_chain
from fedps.client.ledger.index_file import index_path
from tests.parts.client.ledgers import note


@pytest.fixture
def path(tmp_path):
    """A ledger of ten lines, in several commits."""
    ledger = Ledger(tmp_path / "ledger.jsonl")
    for number in range(10):
        note(ledger, f"column {number}")
        if number % 3 == 2:
            ledger.commit()
    ledger.commit()
    return tmp_path / "ledger.jsonl"


def edited(path, edit, *, with_index=True):
    """Return what is said of a ledger after its lines were edited."""
    lines = path.read_bytes().splitlines(keepends=True)
    edit(lines)
    path.write_bytes(b"".join(lines))
    if not with_index:
        index_path(path).unlink(missing_ok=True)
    return [str(problem) for problem in check_chain(path)]


def change(position):
    def edit(lines):
        lines[position] = lines[position].replace(b'"bytes":6', b'"bytes":7')

    return edit


def swap(lines):
    lines[4], lines[5] = lines[5], lines[4]


def test_nothing_was_changed(path):
    assert edited(path, lambda lines: None) == []
    assert edited(path, lambda lines: None, with_index=False) == []


@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda lines: lines.pop(4), ["line 5 was removed"]),
        (lambda lines: lines.__delitem__(slice(3, 6)), ["lines 4 to 6 were removed"]),
        (lambda lines: lines.pop(0), ["line 1 was removed"]),
        (lambda lines: lines.__delitem__(slice(4)), ["lines 1 to 4 were removed"]),
        (change(4), ["line 5 was changed"]),
        (change(0), ["line 1 was changed"]),
        (lambda lines: lines.__setitem__(4, b"nothing\n"), ["line 5 was changed"]),
        # two equal lines: either is the one too many
        (lambda lines: lines.insert(4, lines[3]), ["line 4 was inserted or moved there"]),
        (
            lambda lines: lines.insert(4, b"nothing\n"),
            ["line 5 was inserted or moved there"],
        ),
        (
            lambda lines: (lines.pop(2), lines.pop(5)),
            ["line 3 was removed", "line 7 was removed"],
        ),
    ],
    ids=[
        "removed",
        "three",
        "first",
        "beginning",
        "changed",
        "top",
        "overwritten",
        "again",
        "inserted",
        "two",
    ],
)
def test_what_was_done(path, edit, said, with_index):
    assert edited(path, edit, with_index=with_index) == said


def test_swapped_lines_are_both_named(path):
    assert edited(path, swap) == [
        "line 5 was removed",
        "line 5 was inserted or moved there",
        "line 6 was inserted or moved there",
    ]


def test_the_end_is_known_by_the_index(path):
    assert edited(path, lambda lines: lines.__delitem__(slice(7, 10))) == [
        "lines 8 to 10 were removed at the end"
    ]


def test_the_last_line_too(path):
    assert edited(path, change(-1)) == ["line 10 was changed, or others were removed at the end"]


def test_without_an_index_the_end_is_not_known(path):
    assert edited(path, lambda lines: lines.__delitem__(slice(7, 10)), with_index=False) == []


def test_everything_was_removed(path):
    assert edited(path, list.clear) == ["lines 1 to 10 were removed at the end"]


def test_a_line_of_an_older_version_within(path):
    old = (
        b'{"time":"2026","peer":"p","round":1,"statistic":"s","columns":[],"level":"-","bytes":1,'
        b'"digest":"","outcome":"sent"}\n'
    )
    assert edited(path, lambda lines: lines.insert(4, old)) == [
        "line 5 was inserted, or written by an older version of FedPS",
        "line 5 was inserted or moved there",
    ]


@pytest.mark.parametrize("with_index", [True, False])
def test_a_machine_that_stopped_is_no_crime(path, with_index):
    for rest in (b'{"time":"2026', b'{"ti', b"\xff\xfe"):
        with path.open("ab") as file:
            file.write(rest)
        assert check_chain(path) == []
        note(ledger := Ledger(path), f"after {rest!r}")
        ledger.commit()
        assert edited(path, lambda lines: None, with_index=with_index) == []
    assert edited(path, lambda lines: lines.pop(10), with_index=False) == ["line 11 was removed"]


def test_it_goes_on_after_a_change(path):
    edited(path, change(4))
    note(ledger := Ledger(path), "new")
    ledger.commit()
    assert edited(path, lambda lines: None) == ["line 5 was changed"]

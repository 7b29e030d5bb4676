"""A match whose owners live for one message each, or get it in many pieces, finds the same rows."""

from __future__ import annotations

import stat

import numpy as np
import pandas as pd
import pytest

import fedps
from fedps.client import Policy, Responder
from fedps.client.matching.journal import without_arrays
from fedps.client.owner.fit_secrets import FitSecrets
from fedps.client.owner.kept_matches import KeptMatches
from fedps.client.owner.owner_state import OwnerState
from fedps.client.tables.owned_table import open_owned
from fedps.plans.columns import match_rows
from fedps.statistics import BadCells
from fedps.transports import LocalTransport

RANGES = {"a": range(2300), "b": range(200, 2500), "c": range(400, 1000)}
SMALL = {"a": range(30), "b": range(5, 40)}


def table(name, keys):
    shuffled = np.random.default_rng(len(name)).permutation(keys)
    return pd.DataFrame({"id": shuffled, name: shuffled * 1.5})


class Restarted(Responder):
    """An owner of which a new process answers each message: it has its files, and its journal."""

    folder = None

    def answer(self, message):
        secrets, matches = self.folder / "secrets", self.folder / "matches"
        own = OwnerState(FitSecrets(secrets), KeptMatches(matches))
        process = Responder(self.name, self.table, self.policy, own=own)
        process.functions = self.functions
        process.remember(getattr(self, "journal", ()))
        reply = process.answer(message)
        assert process.answer(message) == reply  # a message that comes again
        self.journal, self.own.matches = process.heard, KeptMatches(matches)
        self.largest = max(getattr(self, "largest", 0), sum(map(len, self.journal[:-1])))
        self.own.kept |= own.kept
        return reply


def federation_of(kind, folder=None, ranges=RANGES):
    owners = {}
    for name, keys in ranges.items():
        own = open_owned(table(name, keys), target=None, key="id")
        owners[name] = kind(name, own, Policy.open())
        if folder is not None:
            owners[name].folder = folder / name
            owners[name].folder.mkdir()
    made = fedps.Federation(LocalTransport(owners), split="columns", key="id", match="private")
    return made, owners


def keys_found(made, owners):
    """Return the keys of the rows that each owner found, in their order."""
    match = made._split._aligned.match
    return [own.own.rows_of(own.table, match).key.tolist() for own in owners.values()]


@pytest.fixture(scope="module")
def expected():
    made, owners = federation_of(Responder)
    first, *others = keys_found(made, owners)
    assert all(other == first for other in others)
    assert sorted(map(int, first)) == list(range(400, 1000))
    return first


def test_owners_that_are_started_for_each_message(tmp_path, expected):
    made, owners = federation_of(Restarted, tmp_path)
    assert all(found == expected for found in keys_found(made, owners))
    for name, own in owners.items():
        folder = tmp_path / name
        assert {path.name for path in folder.iterdir()} == {"secrets", "matches"}
        left = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
        assert [path.suffix for path in left] == [".match"]  # the secrets are gone
        for path in folder.rglob("*"):
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode == (0o700 if path.is_dir() else 0o600), path
        # of messages with 2300 points, nothing is kept; those with 600 are short
        assert own.largest < 2 * 32 * 600 + 2000


def test_a_short_message_and_that_of_a_fit_are_kept_whole():
    short = (b"x" * 10, b"y" * 100)
    assert without_arrays(short) is short


def test_rows_of_a_match_are_those_of_its_table(tmp_path):
    made, _ = federation_of(Restarted, tmp_path, SMALL)
    match = made._split._aligned.match
    changed = table("a", SMALL["a"])
    changed.loc[0, "id"] = 99_999
    own = open_owned(changed, target=None, key="id")
    kept = OwnerState(matches=KeptMatches(tmp_path / "a" / "matches"))
    with pytest.raises(BadCells) as caught:
        kept.rows_of(own, match)
    assert caught.value.rule == "rows changed"
    with pytest.raises(BadCells) as caught:
        kept.rows_of(own, "another match")
    assert caught.value.rule == "no match"


def test_secrets_are_in_files_of_the_owner_alone_while_a_match_is_under_way(tmp_path):
    secrets = FitSecrets(tmp_path / "secrets")
    secrets.note("match", "met", secrets.of("match"))
    for path in (tmp_path / "secrets").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    again = FitSecrets(tmp_path / "secrets")
    assert again.noted("match", "met") == secrets.of("match") == again.of("match")
    again.forget("match")
    assert FitSecrets(tmp_path / "secrets").noted("match", "met") is None


# messages of some keys only; the plan alone says how many go into one
PIECES = {
    "points": {"MOST_POINTS": 700},
    "lines": {"LINES_AT_ONCE": 1000},
    "proofs": {"MOST_PROOFS": 250},
    "all": {"MOST_POINTS": 1000, "LINES_AT_ONCE": 900, "MOST_PROOFS": 599},
}


@pytest.mark.parametrize("name", PIECES)
def test_a_match_in_pieces(name, expected, monkeypatch):
    for constant, value in PIECES[name].items():
        monkeypatch.setattr(match_rows, constant, value)
    made, owners = federation_of(Responder)
    assert all(found == expected for found in keys_found(made, owners))


def test_a_match_in_pieces_by_owners_that_are_started_for_each(tmp_path, expected, monkeypatch):
    for constant, value in PIECES["all"].items():
        monkeypatch.setattr(match_rows, constant, value)
    made, owners = federation_of(Restarted, tmp_path)
    assert all(found == expected for found in keys_found(made, owners))


@pytest.mark.parametrize("sizes", [(1, 1), (1, 5), (5, 1), (7, 3, 1)])
def test_a_key_in_each_message(sizes, monkeypatch):
    for constant in ("MOST_POINTS", "LINES_AT_ONCE", "MOST_PROOFS"):
        monkeypatch.setattr(match_rows, constant, 1)
    made, owners = federation_of(
        Responder, ranges={f"o{n}{i}": range(n) for i, n in enumerate(sizes)}
    )
    assert {len(found) for found in keys_found(made, owners)} == {min(sizes)}

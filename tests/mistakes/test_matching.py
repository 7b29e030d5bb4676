"""What a person reads who matches rows the wrong way; no key is in any of it."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

import fedps
from fedps import Policy
from tests.mistakes.mistake import told, without_round

SECRET = 987654


def owners(first=range(20), second=range(10, 30)):
    return {
        "bank": pd.DataFrame({"id": [*first, SECRET], "age": 1.0}),
        "shop": pd.DataFrame({"id": [*second, SECRET + 1], "spent": 2.0}),
    }


def matching(clients=None, **options):
    options = {"split": "columns", "key": "id", "match": "private"} | options
    return fedps.Federation(owners() if clients is None else clients, **options)


def test_no_key():
    with told(
        fedps.UsageError, "match='private' needs key=: the column by which rows are matched."
    ):
        matching(key=None)


def test_an_unknown_match():
    with told(
        fedps.UsageError,
        "match='secret' is not known: use 'same' (all clients have the same rows in the same order) or "
        "'private' (rows are matched by keys that nobody shows).",
    ):
        matching(match="secret")


def test_rows_are_split():
    with told(
        fedps.UsageError,
        "match='private' is for clients that hold different columns: use it with split='columns'.",
    ):
        matching(split="rows", key=None)


def test_nothing_in_common():
    with told(
        fedps.Disagreement,
        "no key is at all clients (6 at 'bank', 4 at 'shop'). Check that they name the right column as "
        "their key, write keys alike, and have the same salt, if they have one.",
    ):
        matching(owners(range(5), range(5, 8)))


def test_no_rows():
    empty = owners()
    empty["shop"] = empty["shop"].iloc[:0]
    with told(
        fedps.Disagreement,
        "no key is at all clients (21 at 'bank', 0 at 'shop'). Check that they name the right column as "
        "their key, write keys alike, and have the same salt, if they have one.",
    ):
        matching(empty)


def test_too_few_rows_in_common():
    with pytest.raises(fedps.Refused) as caught:
        matching(policy=Policy(min_rows=11, budget=None))
    assert without_round(caught.value) == (
        "clients 'bank' and 'shop' refused to take part: the policy there (min_rows of matches) needs 11 rows "
        "that all clients have, and there are fewer. Check that keys are written alike at all clients, or ask "
        "the data owner to lower min_rows in the policy."
    )


def test_a_key_that_is_kept_back_is_matched_and_not_named():
    """Whoever names a key wants rows matched by it. As with match='same', it is no column to ask about."""
    made = matching(policy={"shop": Policy(deny=["id"], budget=None)})
    assert made._split.matched == 10
    ledger = made._session.here.ledgers["shop"]
    assert not any("id" in entry.columns for entry in ledger.entries)


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "nacl", None)
    with told(
        fedps.ClientError,
        "clients 'bank' and 'shop' have no PyNaCl, by which columns are masked and keys are blinded. Install it "
        "there: pip install 'fedps[columns]'.",
    ):
        matching()


def test_a_unit_counts_people_of_matched_rows():
    clients = owners(range(40), range(10))
    clients["bank"]["person"] = [i // 4 for i in range(41)]
    with pytest.raises(fedps.Refused, match="rows of 5 different 'person'"):
        matching(clients, policy={"bank": Policy(min_rows=5, unit="person", budget=None)})
    few = matching(clients, policy={"bank": Policy(min_rows=3, unit="person", budget=None)})
    assert few._split.matched == 10

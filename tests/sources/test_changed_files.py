"""Files that change: never during a fit, and freely between two, even if both begin with the same message."""

from __future__ import annotations

import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from fedps.client import Ledger, Policy, Responder, open_table
from fedps.statistics import Moments
from tests.scripts.asking import NAME, conversation

POLICY = Policy.open()


def write(path, cells):
    pd.DataFrame({"x": cells}).to_parquet(path)


def opened(path, ledger, before=None):
    """Return the client of a process that has just begun, and knows what it was told before."""
    found = Responder(NAME, open_table(path), POLICY, ledger=ledger)
    if before is not None:
        found.remember(before.heard, before.rows_seen)
    return found


@pytest.mark.parametrize("lives_on", [False, True])
def test_the_same_first_message_about_other_rows_is_another_fit(tmp_path, lives_on):
    path, ledger = tmp_path / "oslo.parquet", Ledger()
    write(path, [1.0, 2.0, 3.0])
    client = opened(path, ledger)
    talk = conversation(StandardScaler(), client)
    assert talk.ask(Moments()).count.tolist() == [[3.0]]
    again = conversation(StandardScaler(), opened(path, ledger, client))
    assert again.ask(Moments()).count.tolist() == [[3.0]]
    assert again.messages == talk.messages
    write(path, [1.0, 2.0, 3.0, 4.0, 5.0])
    later = conversation(StandardScaler(), client if lives_on else opened(path, ledger, client))
    assert later.ask(Moments()).count.tolist() == [[5.0]]
    assert later.messages == talk.messages

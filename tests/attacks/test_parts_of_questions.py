"""Questions about some columns at a time: each column is asked once, and in the order of the search."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import RobustScaler

from fedps.client import Policy, Responder, open_table
from fedps.protocol.messages import Order
from fedps.statistics import Spread, Within
from tests.attacks.hostile import LEVELS, NUMBERS, is_no, people
from tests.scripts.asking import NAME, Conversation, request_of

SPREAD = Spread(targets=3)
AT_BOTH_LEVELS = pytest.mark.parametrize("level", LEVELS)


def within(*ends: float, columns: int = 1) -> Within:
    return Within((np.array(ends).reshape(-1, 2).T,) * columns)


def talk_about(level: str, few: int | None = None) -> Conversation:
    table = people()[NUMBERS]
    if few is not None:
        table.loc[few:, "income"] = np.nan
    client = Responder(NAME, open_table(table), Policy(level=level))
    return Conversation(client, request_of(RobustScaler()))


@AT_BOTH_LEVELS
@pytest.mark.parametrize("again", [(1,), (0, 1), None], ids=["the same", "with others", "all"])
def test_a_column_is_asked_once(level, again):
    talk = talk_about(level)
    assert not is_no(talk.ask(SPREAD, columns=(1,)))
    assert not is_no(talk.ask(SPREAD, columns=(0, 2)))
    asked = talk.question(within(0.0, 50.0), columns=(1,))
    assert talk.say(asked) is None
    columns = len(NUMBERS) if again is None else len(again)
    other = talk.question(within(50.0, 60.0, columns=columns), columns=again)
    assert talk.say(other).rule == "consent"


@AT_BOTH_LEVELS
def test_a_table_that_was_asked_whole_is_not_asked_in_parts(level):
    talk = talk_about(level)
    assert not is_no(talk.ask(SPREAD))
    assert talk.say(talk.question(SPREAD, columns=(1,))).rule == "consent"


@AT_BOTH_LEVELS
@pytest.mark.parametrize("columns", [(1,), (0, 1)])
def test_intervals_of_a_column_come_after_its_own_bins(level, columns):
    """Else the few cells of a column could be read, which only its bins are refused for."""
    talk = talk_about(level, few=4)
    assert not is_no(talk.ask(SPREAD, columns=(0,)))
    asked = talk.question(within(0.0, 1e9, columns=len(columns)), columns=columns)
    assert talk.say(asked).rule == "consent"


@AT_BOTH_LEVELS
def test_bins_of_few_cells_are_refused_in_parts_too(level):
    talk = talk_about(level, few=4)
    assert talk.ask(SPREAD, columns=(1, 2)).rule == "min_rows"


@AT_BOTH_LEVELS
def test_positions_mean_the_same_columns_throughout(level):
    """Else a column that was asked at one position is asked again at another."""
    talk = talk_about(level)
    assert not is_no(talk.ask(SPREAD, columns=(0, 1)))
    talk.tell(Order(tuple(reversed(NUMBERS))))
    assert talk.say(talk.question(SPREAD, columns=(3,))).rule == "consent"

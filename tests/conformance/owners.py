"""Data owners who consent: what they set, and what they do when a pipeline waits, on any engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner
from sklearn.base import clone

import fedps
from fedps.cli.commands import fedps_command
from tests.conformance import scenario

OWN = 'consent = "owner"\n'


def let_owners_consent(policies: Mapping[str, Path]) -> None:
    """Have the owners' policies say that they consent themselves."""
    for path in policies.values():
        path.write_text(path.read_text("utf-8") + OWN, "utf-8")


def let_policies_consent(policies: Mapping[str, Path]) -> None:
    """Have them say what they said before."""
    for path in policies.values():
        path.write_text(path.read_text("utf-8").replace(OWN, ""), "utf-8")


def decide(word: str, ledgers: Mapping[str, Path], name: str) -> None:
    """Approve or deny what waits under a name, at all clients."""
    for ledger in ledgers.values():
        assert command(word, ledger, name).startswith(name)


def command(word: str, ledger: Path, *more: str) -> str:
    """Return what ``fedps requests`` prints."""
    with patch("fedps.cli.output._NARROW", 400):  # no line is broken
        done = CliRunner().invoke(fedps_command, ["requests", word, str(ledger), *more])
    assert done.exit_code == 0, done.output
    return done.stdout


def name_in(text: str, clients: str = "clients 'bergen', 'oslo' and 'turku'") -> str:
    """Return the name under which a pipeline waits, from the error that the server has."""
    found = re.match(
        rf"(?:.*: )?{clients} answer only what their data owners have approved, and this one waits "
        r"there as '([0-9a-f]{8})'\. After 'fedps requests approve LEDGER ([0-9a-f]{8})' there",
        text,
    )
    assert found is not None, text
    assert found[1] == found[2]
    return found[1]


def shown(ledger: Path, name: str, peer: str) -> None:
    """Demand that a request for the scenario's pipeline is told in plain words."""
    text = " ".join(command("show", ledger, name).split())
    assert f"Request {name}: it waits for your decision" in text
    assert peer in text
    for words in (
        "fill missing cells with the median of the column",
        "write each category as a column of 0 and 1",
        "city, smoker",
        "SUMMARY values of single cells",
        "Of these columns, only names and dtypes leave: pain, notes.",
    ):
        assert words in text
    assert scenario.SECRET not in text


def tell_the_story(
    fit: Callable[[Any], Any], ledgers: Mapping[str, Path], expected: Any, peer: str
) -> None:
    """An unknown pipeline waits, passes when approved, waits again when changed, and is denied."""
    pipeline = scenario.pipeline()
    with pytest.raises(fedps.Refused) as caught:
        fit(pipeline)
    assert caught.value.clients == scenario.CLIENTS
    name = name_in(str(caught.value))
    for ledger in ledgers.values():
        assert "1 request waiting" in command("list", ledger)
    shown(ledgers["oslo"], name, peer)
    decide("approve", ledgers, name)
    assert scenario.bits(fit(pipeline)) == scenario.bits(expected)
    changed = clone(pipeline).set_params(quantiles__n_quantiles=21)
    with pytest.raises(fedps.Refused) as caught:
        fit(changed)
    assert name_in(str(caught.value)) != name
    decide("deny", ledgers, name)
    with pytest.raises(fedps.Refused, match="the data owners there have denied it") as caught:
        fit(pipeline)
    assert caught.value.clients == scenario.CLIENTS


def tell_of_a_look(
    look: Callable[[], Any], ledgers: Mapping[str, Path], expected: Any, peer: str
) -> None:
    """A look by groups waits twice: for the categories of its groups, and then for all in each of them."""
    for words in (
        ("list the categories of each column", "smoker"),
        (
            "describe each column of numbers",
            "apart in the rows of each of these categories of 'smoker': 'no', 'yes'",
            "correlate each two columns",
        ),
    ):
        with pytest.raises(fedps.Refused) as caught:
            look()
        name = name_in(str(caught.value))
        text = " ".join(command("show", ledgers["oslo"], name).split())
        assert "What would be looked at" in text
        assert peer in text
        for each in words:
            assert each in text
        assert scenario.SECRET not in text
        assert "1 request waiting" in command("list", ledgers["oslo"])
        decide("approve", ledgers, name)
    assert look() == expected
    decide("deny", ledgers, name)
    with pytest.raises(fedps.Refused, match="the data owners there have denied it"):
        look()

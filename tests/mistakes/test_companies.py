"""The table "When something fails" of docs/companies.md: each line is tried, and its text is what one reads."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import cached_property

import pandas as pd
import pytest

import fedps
from fedps.transports import Lost
from tests.conformance import companies
from tests.faults.owners_there import OpenedAnew, there


def lines():
    """Return the texts in the first column of the page's table."""
    table = companies.between("| message | meaning | what to do |\n| --- | --- | --- |\n", "\n\n")
    return [re.match(r"\| `(.*?)` \|", line)[1] for line in table.splitlines()]


class Owners(OpenedAnew):
    """The owners of the page. ``bare`` lack PyNaCl."""

    def __init__(self, folder):
        super().__init__(folder, settings=companies.settings(folder))
        self.folder = folder
        self.begin()

    def begin(self):
        """Have all as the page says, but that policies decide."""
        self.bare = ()
        self._lost = lambda name, number: None
        for name, own in companies.settings(self.folder).items():
            self.settings[name] = replace(own, policy=self.folder / f"{name}.toml")
            self.allow(name)

    def allow(self, name, level="ROWS", rows=10):
        """Write a policy."""
        text = f'level = "{level}"\nmin_rows = {rows}\n'
        self.settings[name].policy.write_text(text, "utf-8")

    def change(self, name, **settings):
        """Change the settings of an owner."""
        self.settings[name] = replace(self.settings[name], **settings)

    def edit(self, name, edit):
        """Give an owner another table."""
        path = self.folder / f"{name}-edited.parquet"
        edit(pd.read_parquet(self.settings[name].data)).to_parquet(path)
        self.change(name, data=str(path))

    def answer(self, name, message):
        if name not in self.bare:
            return super().answer(name, message)
        with pytest.MonkeyPatch.context() as patch:  # of this module alone: others stay imported
            patch.setitem(sys.modules, "nacl", None)
            return super().answer(name, message)

    @cached_property
    def matched(self):
        """The federation of matched rows, before anything went wrong."""
        return private(self)

    @cached_property
    def model(self):
        """What the page fits, under its name."""
        return fit(self)


@pytest.fixture(scope="module")
def everybody(tmp_path_factory):
    folder = tmp_path_factory.mktemp("companies")
    companies.write_files(folder)
    return Owners(folder)


@pytest.fixture
def owners(everybody):
    everybody.begin()
    return everybody


def private(owners):
    return there(owners, match="private")


def fit(owners):
    return owners.matched.fit(companies.pipeline(owners.folder), name=companies.FIT)


def predict(owners):
    owners.matched.predict(owners.model, "new", to="target")


def a_wrong_salt(owners):
    (owners.folder / "other.txt").write_text("7a" * 16, "utf-8")
    owners.change("shop", salt=owners.folder / "other.txt")
    private(owners)


def a_lost_owner(owners):
    owners._lost = lambda name, _: Lost("is gone") if name == "shop" else None
    private(owners)


def a_changed_table(owners):
    assert owners.matched
    owners.edit("shop", lambda table: table[1:])
    fit(owners)


def a_name_twice(owners):
    assert owners.model
    other = companies.pipeline(owners.folder).set_params(bayesianridge__alpha_1=1.0)
    owners.matched.fit(other, name=companies.FIT)


def few_in_common(owners):
    owners.allow("bank", rows=300)
    private(owners)


def a_few_more_than_before(owners):
    """Of a match that differs little from an earlier one, the difference would show cells."""
    assert owners.matched
    owners.allow("bank", rows=20)
    owners.allow("clinic", rows=1)
    owners.edit("shop", lambda table: table[3:])
    private(owners)


def a_lower_level(owners):
    assert owners.model
    owners.allow("bank", level="AGGREGATE")
    predict(owners)


def no_place(owners):
    assert owners.model
    owners.change("clinic", predictions=None)
    predict(owners)


def no_new_rows(owners):
    assert owners.model
    owners.change("shop", new=None)
    predict(owners)


def not_matched(owners):
    there(owners)


def no_library(owners):
    owners.bare = ("bank",)
    private(owners)


TRIED = {
    "no key is at all": (a_wrong_salt, fedps.Disagreement),
    "there is no quorum": (a_lost_owner, fedps.TransportError),
    "client 'shop' has different keys": (a_changed_table, fedps.ClientError),
    "keep their part": (a_name_twice, fedps.ClientError),
    "client 'bank' refused to take part: the policy there (min_rows of": (
        few_in_common,
        fedps.Refused,
    ),
    "client 'bank' refused to take part: the policy there (min_rows between": (
        a_few_more_than_before,
        fedps.Refused,
    ),
    "client 'bank' refused ...: the policy there (level)": (a_lower_level, fedps.Refused),
    "client 'clinic' has no place": (no_place, fedps.ClientError),
    "client 'shop' has no new rows": (no_new_rows, fedps.ClientError),
    "clients 'bank' and ": (not_matched, fedps.Disagreement),
    "client 'bank' has no PyNaCl": (no_library, fedps.ClientError),
}


@pytest.mark.parametrize("line", lines())
def test_a_line_of_the_page(owners, line):
    ((attempt, kind),) = [each for begin, each in TRIED.items() if line.startswith(begin)]
    words = ".*".join(re.escape(words) for words in line.split("..."))
    with pytest.raises(kind, match=words) as caught:
        attempt(owners)
    assert not re.search(r"47000\d{5}", str(caught.value))  # no key


def test_every_try_is_on_the_page():
    assert len(lines()) == len(TRIED)

"""Groups of the target that are left out: what all answers together do not tell, either."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import TargetEncoder

from fedps import Federation
from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.statistics import ByCategory, ByKnown, Disclosure, Limits
from fedps.statistics.target.target_cells import dense
from tests.parts.rules.limits import only

LEAST = 5
LABELS = ("no", "yes")


def shown_of(statistic, table):
    """Return how many rows of each category and label are shown, and of each category whose numbers are."""
    cells = table[["town"]].to_numpy(dtype=object)
    block = TableBlock(cells, Chunk(cells, table["y"].to_numpy()), folds=table["fold"].to_numpy())
    whole = statistic.update(statistic.empty(1), block)
    summary = statistic.compact(whole, Limits(Disclosure.SUMMARY, 1.0, 0, LEAST))
    (column,) = summary.columns
    if isinstance(statistic, ByKnown):
        names, folds = list(statistic.categories[0]), statistic.folds
    else:
        names, folds = [*column.values.tolist(), None, None], 1
    if column.sums is not None:
        sizes = column.sums.count.sum(axis=0).reshape(len(names), folds)
        return {name: tuple(size) for name, size in zip(names, sizes, strict=True) if size.any()}
    table = dense(column, len(names), len(LABELS), folds)
    groups = {
        (n, lab): tuple(table[i, k]) for i, n in enumerate(names) for k, lab in enumerate(LABELS)
    }
    return {name: size for name, size in groups.items() if any(size)}


def check(shown, rows):
    """Assert that no group is too small, and neither is what all groups leave."""
    assert all(size == 0 or size >= LEAST for sizes in shown.values() for size in sizes)
    rest = rows - sum(map(sum, shown.values()))
    assert rest == 0 or rest >= LEAST or not shown


@st.composite
def tables(draw):
    towns = draw(st.lists(st.sampled_from("aabbbccd?"), min_size=1, max_size=60))
    times = draw(st.integers(1, 4))
    rows = len(towns) * times
    labels = draw(st.lists(st.sampled_from(["no", "yes", "yes"]), min_size=rows, max_size=rows))
    folds = np.arange(rows) % draw(st.integers(1, 2))
    return pd.DataFrame({"town": towns * times, "y": labels, "fold": folds})


@given(table=tables(), numbers=st.booleans())
def test_categories_that_are_found(table, numbers):
    shown_table = table.assign(y=np.arange(len(table)) + 0.5) if numbers else table
    check(shown_of(ByCategory("numbers" if numbers else "labels"), shown_table), len(table))


@given(table=tables(), known=st.sampled_from(["abc", "abcd", "dcba", "cab"]))
def test_asking_again_with_the_first_category(table, known):
    """An answer without the first category and one with it, put together, tell no more than each."""
    both = {}
    folds = int(table["fold"].max()) + 1
    for names in (known[1:], known):
        asked = ByKnown((tuple(names),), "labels", labels=LABELS, folds=folds)
        shown = shown_of(asked, table)
        check(shown, len(table))
        both |= shown
    check(both, len(table))


@given(table=tables(), others=st.booleans())
def test_numbers_beside_given_categories(table, others):
    asked = ByKnown((("a", "b"),), "numbers", others=others)
    check(shown_of(asked, table.assign(y=np.arange(len(table)) * 0.5)), len(table))


@pytest.mark.parametrize("given", [{}, {"categories": [["a", "b", "c"]]}], ids=["found", "given"])
def test_a_fit_asks_again_where_some_are_left_out(given):
    """What is left out must not be taken for the first category's."""
    rng = np.random.default_rng(0)
    towns = rng.choice(["a", "b", "c"], 400, p=[0.6, 0.35, 0.05])
    table = pd.DataFrame({"town": towns, "y": np.where(rng.random(400) < 0.3, "no", "yes")})
    federation = Federation({"oslo": table}, target="y", policy=only(min_count=5))
    fitted, _ = federation.fit_transform(TargetEncoder(random_state=0, smooth=0.0, **given))
    assert [ask.statistic for ask in federation.run.asks].count("ByKnown") == 2
    assert {limit.rule for limit in federation.run.limitations} == {"min_count"}
    pooled = TargetEncoder(random_state=0, smooth=0.0, **given).fit(table[["town"]], table["y"])
    np.testing.assert_allclose(fitted.encodings_[0][:2], pooled.encodings_[0][:2])

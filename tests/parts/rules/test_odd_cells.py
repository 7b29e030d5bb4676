"""OddCells against counting each cell: the fewest that differ from any one value."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fedps.client.block import TableBlock
from fedps.client.rules import odd_cells
from fedps.client.rules.odd_cells import OddCells
from fedps.client.tables import Chunk


def with_zeros(cells):
    """Return a sparse table that stores its zeros."""
    stored = sp.csc_array(np.where(cells == 0, 77.0, cells))
    stored.data[stored.data == 77.0] = 0.0
    return stored


CONTAINERS = {
    "array": np.asarray,
    "frame": lambda cells: pd.DataFrame(cells, columns=[f"c{j}" for j in range(cells.shape[1])]),
    "sparse": sp.csc_array,
    "explicit zeros": with_zeros,
}


def brute(column, units, least):
    """Return whether too few cells, or units, differ from some value, but some do."""
    known = [(v, u) for v, u in zip(column.tolist(), units.tolist(), strict=True) if v == v]
    fewest = min((len({u for v, u in known if v != one}) for one, _ in known), default=0)
    return 0 < fewest < least


def few_of(cells, ends, least, make, units=None):
    odd = OddCells(least)
    for start, end in zip([0, *ends], [*ends, len(cells)], strict=True):
        part = make(cells[start:end])
        odd.add(TableBlock(part, Chunk(part, None)), None if units is None else units[start:end])
    return odd.few


@st.composite
def tables(draw):
    """Return cells, of which most are often equal, and where chunks end."""
    rows, width = draw(st.integers(0, 40)), draw(st.integers(1, 3))
    usual = draw(st.sampled_from([0.0, 1.5]))
    cell = st.sampled_from([usual] * draw(st.integers(0, 12)) + [0.0, -1.0, 1.5, 2.0, np.nan])
    cells = draw(st.lists(cell, min_size=rows * width, max_size=rows * width))
    ends = draw(st.lists(st.integers(0, rows), max_size=3).map(sorted))
    return np.array(cells).reshape(rows, width), ends


@pytest.fixture(scope="module", params=[1 << 15, 1])
def heads(request):
    """Decide by many of the first rows, or by as few as may be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(odd_cells, "_HEAD", request.param)
        patch.setattr(odd_cells, "_MORE", 2)
        yield


@pytest.mark.usefixtures("heads")
@given(table=tables(), least=st.integers(0, 6), container=st.sampled_from([*CONTAINERS]))
def test_cells(table, least, container):
    cells, ends = table
    each = np.arange(len(cells))
    wanted = [j for j in range(cells.shape[1]) if brute(cells[:, j], each, least)]
    assert few_of(cells, ends, least, CONTAINERS[container]) == wanted


@given(
    table=tables(),
    least=st.integers(0, 6),
    container=st.sampled_from([*CONTAINERS]),
    people=st.integers(1, 12),
    seed=st.integers(0, 9),
)
def test_units(table, least, container, people, seed):
    cells, ends = table
    units = np.random.default_rng(seed).integers(0, people, len(cells))
    wanted = [j for j in range(cells.shape[1]) if brute(cells[:, j], units, least)]
    assert few_of(cells, ends, least, CONTAINERS[container], units) == wanted


def test_a_person_with_most_of_the_rows_is_one_person():
    """What differs from the most frequent *value* is what ten others have: the few is whom it is about."""
    cells = np.array([[1.0]] * 90 + [[0.0]] * 10)
    units = np.array([0] * 90 + [*range(1, 11)])
    assert Counter(cells.ravel().tolist()).most_common(1) == [(1.0, 90)]
    assert few_of(cells, [], 5, np.asarray, units) == [0]


def test_the_first_chunk_does_not_decide_what_is_usual():
    cells, units = np.zeros((30, 1)), np.arange(30)
    cells[0] = 1.0
    assert few_of(cells, [1], 2, np.asarray, units) == [0]
    cells[0] = np.nan
    assert few_of(cells, [1], 2, np.asarray, units) == []

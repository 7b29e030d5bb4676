"""How bytes grow: as the paper says or less, but where we say why."""

import pytest

from experiments.__main__ import HERE
from experiments.growth.measuring import AXES, cells, measure
from experiments.growth.statistics import STATISTICS
from experiments.growth.tables import curves, exponent, tables
from experiments.results import Results

RESULTS = Results(HERE / "results" / "growth.jsonl")
CURVES = curves(RESULTS.lines)
# a compressed message does not grow by exactly the same for every column
ROUGHLY = 0.2
# Exact quantiles and counts need more than a sketch: the square root of the rows, and all categories. Masked
# columns need products with the columns of all owners, too.
DEARER = {
    ("quartiles, exact", "continuous", "rows"): 0.5,
    ("frequent items, exact", "texts", "categories"): 1.0,
    ("regression, columns split", "owners", "columns"): 1.2,
}


def test_results_are_complete():
    assert all(cell in RESULTS for cell in cells(False))


@pytest.mark.parametrize("key", CURVES, ids=", ".join)
def test_no_faster_than_the_paper(key):
    name, _, along = key
    claim = DEARER.get(key, STATISTICS[name].claims[along])
    assert exponent(CURVES[key]) <= claim + ROUGHLY


@pytest.mark.parametrize("key", DEARER, ids=", ".join)
def test_what_is_dearer_really_is(key):
    """So that the page does not excuse what needs no excuse."""
    name, _, along = key
    assert exponent(CURVES[key]) > STATISTICS[name].claims[along] + ROUGHLY


def test_exponents():
    assert exponent([(10, 5.0), (100, 50.0), (1000, 5000.0)]) == pytest.approx(2)
    assert exponent([(2, 8.0), (300, 8.0)]) == pytest.approx(0)
    assert exponent([(2, 8.0)]) is None


@pytest.mark.parametrize(
    "cell",
    [cell for cell in cells(True) if cell[cell["along"]] == AXES[cell["along"]][0]],
    ids=lambda cell: f"{cell['statistic']}-{cell['data']}-{cell['along']}",
)
def test_measured_again(cell):
    (kept,) = RESULTS.of([cell])
    found = measure(cell)
    assert found["rounds"] == kept.found["rounds"]
    # versions of zlib differ by a byte or two
    assert found["up"] == pytest.approx(kept.found["up"], rel=0.02, abs=2)


def test_the_table_has_a_row_for_each_statistic():
    made = tables(RESULTS.lines)
    assert made["exponents"].count("\n") == 1 + sum(len(s.data) for s in STATISTICS.values())
    assert "quartiles" in made


def test_tables_of_what_is_there_so_far():
    for line in RESULTS.lines[::20]:
        assert tables([line])

"""The paper's Table 6, and the rows that it leaves out: what comes out is what pooled gives."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks import data
from benchmarks.downloads import DataMissing
from experiments.__main__ import HERE
from experiments.consistency.cases import CASES, PAPER
from experiments.consistency.measuring import cells, difference, measure
from experiments.consistency.tables import by_cell, exact, spread, tables
from experiments.paper import CONSISTENCY, DATA_SETS
from experiments.results import Results

EXACT = 1e-12
RESULTS = Results(HERE / "results" / "consistency.jsonl")
# the paper's own rows are fitted again, on all data sets, in tests/budgets/test_consistency.py
FRESH = [
    cell
    for cell in cells(True)
    if cell["mode"] == "exact"
    and cell["estimator"] not in PAPER
    and not CASES[cell["estimator"]].ties
]


def test_results_are_complete():
    assert all(cell in RESULTS for cell in cells(False))


@pytest.mark.parametrize(
    "line", exact(RESULTS.lines), ids=lambda line: f"{line.cell['estimator']}-{line.cell['data']}"
)
def test_exact_results_are_pooled_ones(line):
    assert line.found["mse"] < EXACT


@pytest.mark.parametrize("where", DATA_SETS)
@pytest.mark.parametrize("name", [name for name in PAPER if CASES[name].sketched])
def test_sketches_are_no_worse_than_the_paper(name, where):
    mean, _ = spread(by_cell(RESULTS.lines)[name, "KLL", where])
    assert mean <= CONSISTENCY[name].paper[DATA_SETS.index(where)]


@pytest.mark.parametrize("cell", FRESH, ids=lambda cell: cell["estimator"])
def test_measured_again(cell):
    try:
        data.LOADERS[cell["data"]](download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    assert measure(cell)["mse"] < EXACT


def test_differences():
    ours, pooled = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.5], [3.0, 3.0]])
    found = {"mse": 0.312, "largest": 1.0}
    assert difference(ours, pooled) == found
    assert difference(sparse.csr_array(ours), sparse.csr_array(pooled)) == found
    assert difference(sparse.csr_array(ours), sparse.csr_array(ours)) == {"mse": 0, "largest": 0}


def test_tables_of_what_is_there_so_far():
    for line in RESULTS.lines[::20]:
        assert tables([line])

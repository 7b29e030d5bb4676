"""Figure 1: local standardisation destroys what separates the labels, federated keeps it."""

import numpy as np
import pytest

from experiments.separability import EXPERIMENT, best_accuracy, is_separable, labels, points

CELL = EXPERIMENT.cells(True)[0]


@pytest.fixture(scope="module")
def lines():
    from experiments.experiment import Line

    return [Line(CELL, EXPERIMENT.measure(CELL), 0.1)]


def test_only_local_standardisation_destroys_it(lines):
    found = lines[0].found
    assert found["raw"] == {"separable": True, "accuracy": 1.0}
    assert found["federated"] == {"separable": True, "accuracy": 1.0}
    assert not found["local"]["separable"]
    assert found["local"]["accuracy"] < 0.95
    assert found["from_pooled"] < 1e-14


def test_it_is_the_same_each_time(lines):
    assert EXPERIMENT.measure(CELL) == lines[0].found


def test_the_clients_have_other_shares_of_the_labels():
    own = labels(CELL)
    assert own["A"].mean() == pytest.approx(1 - CELL["share"])
    assert own["B"].mean() == pytest.approx(CELL["share"])
    assert {name: len(rows) for name, rows in points(CELL).items()} == {"A": 60, "B": 60}


@pytest.mark.parametrize("seed", range(20))
def test_both_measures_agree(seed):
    """The best line gets all rows right just where the linear program finds one."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(8, 2))
    label = (rows @ [1.0, -2.0] > 0.1).astype(int)
    if seed % 2:
        label[0] = 1 - label[0]
    assert is_separable(rows, label) == (best_accuracy(rows, label) == 1.0)


def test_the_best_line_of_a_cross_gets_three_of_four():
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.01]])
    label = np.array([0, 0, 1, 1])
    assert not is_separable(rows, label)
    assert best_accuracy(rows, label) == 0.75


def test_it_is_said_and_drawn(lines, tmp_path):
    pytest.importorskip("matplotlib", reason="the figure needs matplotlib")
    parts = EXPERIMENT.tables(lines)
    assert set(parts) == {"table", "words"}
    assert "After local standardisation the rows are not" in parts["words"]
    EXPERIMENT.draw(lines, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"separability.png", "separability.svg"}
    assert "local" in EXPERIMENT.say(lines[0])

"""Cells are measured once, kept line by line, and taken up where a run was cut off."""

import json

import pytest

from experiments import running
from experiments.experiment import Experiment, Line
from experiments.results import Results

CELLS = [{"number": number, "name": "ä"} for number in range(5)]


def square(cell):
    if cell["number"] == 99:
        raise RuntimeError("no such number")
    return {"square": cell["number"] ** 2}


def an_experiment(**options):
    return Experiment(
        "squares", lambda quick: CELLS, square, lambda lines: {}, lambda lines, folder: None,
        lambda line: f"{line.cell['number']} squared", **options,
    )  # fmt: skip


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path / "new" / "squares.jsonl")


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_cell_is_measured_once(results, capsys, jobs):
    experiment = an_experiment(parallel=True)
    assert running.run(experiment, CELLS[:3], results, jobs) == 3
    assert running.run(experiment, CELLS, results, jobs) == 2
    assert running.run(experiment, CELLS, results, jobs) == 0
    said = capsys.readouterr().err
    assert "squares: 5 cells, 3 of them done before" in said
    assert "[5/5]" in said
    again = Results(results.path)
    assert [line.found["square"] for line in again.of(CELLS)] == [0, 1, 4, 9, 16]


def test_what_was_found_before_a_failure_is_kept(results):
    with pytest.raises(RuntimeError, match="no such number"):
        running.run(an_experiment(), [CELLS[0], {"number": 99}, CELLS[1]], results, 1)
    assert Results(results.path).of(CELLS) == results.of(CELLS[:1])


def test_a_line_cut_off_is_measured_again(results):
    running.run(an_experiment(), CELLS, results, 1)
    text = results.path.read_text("utf-8")
    results.path.write_text(text[:-20], "utf-8")
    cut = Results(results.path)
    assert len(cut.lines) == 4
    assert running.run(an_experiment(), CELLS, cut, 1) == 1
    assert len(Results(results.path).lines) == 5


def test_a_line_after_one_cut_off_is_not_lost(results):
    running.run(an_experiment(), CELLS[:2], results, 1)
    with results.path.open("a", encoding="utf-8") as file:
        file.write('{"cell": {"num')
    assert running.run(an_experiment(), CELLS[:3], Results(results.path), 1) == 1
    assert len(Results(results.path).lines) == 3


def test_the_order_of_running_does_not_show(results, tmp_path):
    other = Results(tmp_path / "other.jsonl")
    for line in [Line(cell, square(cell), 0.5) for cell in CELLS]:
        results.add(line)
    for line in reversed(results.lines):
        other.add(line)
    results.tidy()
    other.tidy()
    assert results.path.read_bytes() == other.path.read_bytes()
    assert json.loads(results.path.read_text("utf-8").splitlines()[0])["seconds"] == 0.5

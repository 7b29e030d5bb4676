"""``python -m experiments all --quick``, as a reader would run it: cells, tables and figures."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="experiments need the extra 'experiments'")
pytest.importorskip("matplotlib", reason="experiments need the extra 'experiments'")

from benchmarks.downloads import DataMissing, text_of
from experiments.__main__ import NAMES, experiment
from experiments.results import Results

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FILES = ("adult.data", "bank-full.csv", "covtype.data")


def experiments(*arguments, **environment):
    command = [sys.executable, "-m", "experiments", *map(str, arguments)]
    paths = os.pathsep.join(
        [str(ROOT / "src"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    )
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths} | environment,
        capture_output=True, check=False, text=True, timeout=1200,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    try:
        for name in FILES:
            text_of(name, download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("quick")
    # one process: the other processor has tests to run
    done = experiments("all", "--quick", "--results", folder, "--jobs", 1)
    assert done.returncode == 0, done.stderr[-5000:]
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_has_a_result_and_every_experiment_its_tables(folder, name):
    asked = experiment(name)
    cells = list(asked.cells(True))
    lines = Results(folder / f"{name}.jsonl").of(cells)
    assert len(lines) == len(cells)
    text = (folder / f"{name}.md").read_text("utf-8")
    assert all(table in text for table in asked.tables(lines).values())


def test_figures_are_drawn_both_ways(folder):
    drawn = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert drawn == {path.stem for path in (folder / "figures").glob("*.png")}
    assert {"accuracy-iid-10", "accuracy-feature-skew-30"} <= drawn


def test_nothing_is_measured_again(folder):
    before = (folder / "accuracy.jsonl").read_bytes()
    done = experiments("accuracy", "--quick", "--results", folder)
    assert "54 cells, 54 of them done before" in done.stderr
    assert (folder / "accuracy.jsonl").read_bytes() == before
    assert "| federated |" in done.stdout


def test_scaled_rows_train_better(folder):
    lines = Results(folder / "accuracy.jsonl").lines
    last = {tuple(line.cell.values()): line.found["accuracy"][-1] for line in lines}
    means = {
        arm: sum(a for key, a in last.items() if arm in key) / 18
        for arm in ("no", "local", "federated")
    }
    assert means["federated"] > means["local"]
    assert means["federated"] > means["no"] + 0.05


def test_missing_data_is_said(tmp_path):
    # no proxy and no name server: nothing can be downloaded
    nowhere = {"XDG_CACHE_HOME": str(tmp_path), "https_proxy": "http://127.0.0.1:9"}
    done = experiments(
        "accuracy", "--quick", "--data", tmp_path, "--results", tmp_path, "--jobs", 1, **nowhere
    )
    assert done.returncode == 1
    assert "adult.data is not in" in done.stderr
    assert "Traceback" not in done.stderr

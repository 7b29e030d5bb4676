"""Scaling: small cells are measured for real, and tables and figure made of them."""

import multiprocessing

import pandas as pd
import pytest

from experiments.experiment import Line
from experiments.scaling import EXPERIMENT, making
from experiments.scaling.cells import ESTIMATORS, FULL, along

if "forkserver" not in multiprocessing.get_all_start_methods():
    pytest.skip("each fit is measured in a forked process", allow_module_level=True)

SIZE = {"rows": 1003, "columns": 5, "clients": 4, "repeats": 1, "seed": 0}


def cell(table, **changes):
    base = {"table": table, "estimators": list(ESTIMATORS[table]), "axes": list(FULL)}
    return base | SIZE | changes


@pytest.fixture(scope="module")
def lines():
    return [
        Line(asked, EXPERIMENT.measure(asked), 1.0)
        for asked in (cell("numbers"), cell("people"), cell("people", rows=2000))
    ]


def test_both_arms_are_measured_and_agree(lines):
    names = {name for line in lines for name in line.found}
    assert names == {name for fitted in ESTIMATORS.values() for name in fitted}
    for line in lines:
        for found in line.found.values():
            assert found["difference"] < 1e-12
            assert found["federated"]["rounds"] in (1, 2)
            assert found["federated"]["bytes_down"] > 0
            assert 50 < found["federated"]["bytes_up"] < 100_000
            for arm in ("pooled", "federated"):
                assert 0 < found[arm]["wall"] < 60
                assert 0 < found[arm]["cpu"] < 60
                assert 0 <= found[arm]["peak"] < 1e9


def test_tables_and_figure(lines, tmp_path):
    parts = EXPERIMENT.tables(lines)
    assert set(parts) == {"rows", "columns", "clients", "words", "agreement"}
    assert parts["rows"].count("\n") == 1 + 5
    assert "2,000" in parts["rows"]
    assert EXPERIMENT.say(lines[0]).startswith("1,003 rows, 5 columns, 4 clients: ")
    pytest.importorskip("matplotlib", reason="the figure needs matplotlib")
    EXPERIMENT.draw(lines, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"scaling.png", "scaling.svg"}


@pytest.mark.parametrize("table", ESTIMATORS)
def test_the_clients_have_the_pooled_rows(table, tmp_path, monkeypatch):
    monkeypatch.setattr(making, "CELLS_AT_ONCE", 5 * 100)  # pieces that cut across the clients
    files = making.write(tmp_path / "cut", cell(table))
    parts = [pd.read_parquet(path) for path in files.clients]
    assert [len(part) for part in parts] == [250, 251, 251, 251]
    pooled = pd.read_parquet(files.pooled)
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), pooled)


def test_the_files_are_removed():
    with making.made(cell("numbers", rows=100)) as (files, small):
        assert files.pooled.exists()
        assert len(small.clients) == 2
    assert not files.pooled.parent.parent.exists()


def test_a_full_disk_is_said_at_once():
    asked = cell("numbers", rows=10**12)
    with (
        pytest.raises(OSError, match="Set TMPDIR to a folder on a larger disk"),
        making.made(asked),
    ):
        pass


def test_a_fit_that_fails_is_said():
    said = "the pooled fit of StandardScaler failed: ValueError: could not convert string to float"
    with pytest.raises(RuntimeError, match=said):
        EXPERIMENT.measure(cell("people", estimators=["StandardScaler"]))


def test_the_full_run_grows_to_what_the_issue_asks():
    cells = EXPERIMENT.cells(False)
    assert max(asked["rows"] for asked in cells) == 10_000_000
    assert max(asked["columns"] for asked in cells) == 2000
    assert max(asked["clients"] for asked in cells) == 1000
    lines = [Line(asked, dict.fromkeys(asked["estimators"]), 0.0) for asked in cells]
    for axis in FULL:
        for name, ours in along(lines, axis).items():
            assert len(ours) == len(FULL[axis][1]) + 1, name
    assert len(EXPERIMENT.cells(True)) == 8

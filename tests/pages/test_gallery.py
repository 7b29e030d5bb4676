"""The examples of the gallery: each runs on its own, as somebody who downloaded it would run it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fedps

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "gallery"
EXAMPLES = sorted(
    path
    for path in FOLDER.glob("*.py")
    if "describe" not in path.stem or hasattr(fedps.Federation, "describe")
)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs_alone(path, tmp_path):
    """In an empty folder, with warnings as errors, apart from that of a plot that has no window."""
    alone = shutil.copy(path, tmp_path)
    warnings = ["-Werror", "-Wignore:FigureCanvasAgg:UserWarning"]
    done = subprocess.run(
        [sys.executable, *warnings, alone],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg", "PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
    assert sorted(tmp_path.iterdir()) == [tmp_path / path.name]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_is_short_and_makes_its_own_data(path):
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 110
    assert "http" not in text
    assert "default_rng(" in text or "from fedps.demo import" in text

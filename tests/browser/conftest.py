"""A browser for all tests of this folder, and the pages that they open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fedps.looks import Correlation
from tests.browser.chromium import PROGRAM, Chromium
from tests.parts.looks.made_up import made_up_correlation, made_up_crosstab, made_up_description


@pytest.fixture(scope="session")
def browser():
    if not Path(PROGRAM).exists():
        pytest.skip(f"no {PROGRAM}: `make browser` installs Debian's chromium")
    with Chromium() as found:
        yield found


def all_shades():
    """Correlations of every shade, each with its number."""
    matrix = np.eye(22)
    matrix[1:, 0] = matrix[0, 1:] = np.arange(-10, 11) / 10
    names = tuple(f"column_{j}" for j in range(22))
    return Correlation(names, matrix, np.full((22, 22), 9), np.ones(22), 9)


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The files of some pages, by name."""
    names = tuple(f"column_{j}" for j in range(60))
    looks = {
        "description": made_up_description(12),
        "two hundred columns": made_up_description(200),
        "hostile": made_up_description(12, hostile=True),
        "crosstab": made_up_crosstab(),
        "all shades": all_shades(),
        "correlation": made_up_correlation(np.random.default_rng(0), names),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, look in looks.items():
        look.save(folder / f"{name}.html")
    # as two outputs of a notebook: the page around them must stay as it was
    frames = looks["description"]._repr_html_() + looks["crosstab"]._repr_html_()
    notebook = f"<!doctype html><title>notebook</title><h1>Mine</h1><table><td>1</table>{frames}"
    (folder / "notebook.html").write_text(notebook, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in (*looks, "notebook")}

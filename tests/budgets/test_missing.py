"""The page on missing values says what its imputers cost and show on the four hospitals."""

from pathlib import Path

import pytest

from benchmarks import data, missing
from benchmarks.downloads import DataMissing
from tests.twins.quiet import quiet

PAGE = Path(__file__).resolve().parents[2] / "docs" / "missing.md"


def lines(text):
    """Return imputer, rounds, KB sent, KB received and level of each line: seconds vary."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return [(name, int(n), float(up), float(down), level) for name, n, up, down, level, *_ in rows]


@pytest.mark.slow
def test_the_page_has_what_is_measured():
    try:
        tables = data.hospitals(download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    told = PAGE.read_text("utf-8").split("<!-- costs:")[1].split("<!-- end -->")[0]
    with quiet():
        measured = lines(missing.costs_table(tables, repeats=1))
    assert [line[0] for line in measured] == list(missing.IMPUTERS)
    for found, said in zip(measured, lines(told), strict=True):
        assert found[:2] == said[:2]
        assert found[2:4] == pytest.approx(said[2:4], rel=0.1)
        assert found[4] == said[4]

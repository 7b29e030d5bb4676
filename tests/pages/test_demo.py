"""The demo runs, says what a newcomer wants to know, and is honest about it."""

import re
import subprocess
import sys

import pytest

from fedps import demo


@pytest.fixture
def shown(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert demo.main() == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_it_shows_clients_plan_cost_disclosures_and_what_to_read(shown):
    in_this_order = [
        "three islands, three clients",
        "Biscoe",
        "federation.explain(prep)",
        "would take 2 rounds",
        "federation.fit(prep)",
        "ColumnTransformer over 3 clients, 344 rows: 2 rounds",
        "What left each client",
        "AGGREGATE",
        "Moments",
        "SUMMARY",
        "Categories",
        "Federated against pooled",
        "Adelie, Chinstrap, Gentoo",
        "docs/guide.md",
    ]
    place = 0
    for text in in_this_order:
        place = shown.index(text, place) + len(text)


def test_it_equals_the_pooled_fit(shown):
    differences = re.findall(r"(?:cells|numbers) +[\dx ]+? +([\d.]+e[+-]\d+)$", shown, re.MULTILINE)
    assert len(differences) == 2
    assert all(float(difference) < 1e-12 for difference in differences)


def test_it_compares_every_learned_number():
    fitted = demo.preprocessing().fit(demo.load())
    assert len(list(demo.learned_numbers(fitted))) >= 4 * 4  # mean, scale, variance, fill value


def test_its_lines_fit(shown):
    assert max(map(len, shown.split("\n"))) <= 100
    assert not [line for line in shown.split("\n") if line != line.rstrip()]


@pytest.mark.parametrize("package", ["palmerpenguins", "pandas"])
def test_it_says_what_to_install(package, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    assert demo.main() == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"The demo needs the package {package}, which is not installed. Install it with\n\n"
        '    pip install "fedps[demo]"\n\n'
        "or, in a clone of the repository, run\n\n"
        "    make demo\n"
    )


def test_it_is_a_module_to_run():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "fedps.demo"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Federated against pooled" in done.stdout
    assert done.stderr == ""

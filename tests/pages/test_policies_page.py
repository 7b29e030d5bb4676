"""docs/policies.md has every key, with an example that can be read, and every preset as it is."""

import re
from pathlib import Path

import pytest
from msgspec import structs

from fedps.client import Policy
from fedps.client.policy import PRESETS
from fedps.client.policy_file import KEYS, read_policy

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "policies.md").read_text("utf-8")


def table_under(title):
    """Return the cells of the first table under a title, without its header."""
    part = TEXT.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line for line in part.split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in (rows[0], *rows[2:])]


def test_every_key_is_there_in_order():
    assert [row[0].strip("`") for row in table_under("Every key")[1:]] == list(KEYS)


@pytest.mark.parametrize("row", table_under("Every key")[1:], ids=lambda row: row[0])
def test_every_example_can_be_read(row, tmp_path):
    key, example = row[0].strip("`"), row[1].strip("`")
    assert example == KEYS[key][1]
    path = tmp_path / "policy.toml"
    path.write_text(example + "\n", "utf-8")
    policy = read_policy(path)
    if key != "preset":
        found = getattr(policy, key)
        assert example in (f"{key} = {_toml(found)}", f"{key} = {found}")


@pytest.mark.parametrize("row", table_under("Every key")[2:], ids=lambda row: row[0])
def test_defaults_are_those_of_a_policy(row):
    default = getattr(Policy(), row[0].strip("`"))
    shown = row[2].strip("`")
    none = {None: ("each row counts", "off", "all", "no limit"), (): ("none",)}
    if default in none:
        assert shown in none[default]
    else:
        assert shown == _toml(default)


def test_presets_are_as_they_are():
    header, *rows = table_under("Begin with a preset")
    names = [name.strip("`") for name in header[1:]]
    assert names == list(PRESETS)
    differ = {key for name in names for key in PRESETS[name]}
    assert {row[0].strip("`") for row in rows[1:]} == differ
    for row in rows[1:]:
        key = row[0].strip("`")
        for name, shown in zip(names, row[1:], strict=True):
            value = structs.asdict(Policy.preset(name))[key]
            assert shown.strip("`") in (_toml(value), {"budget": "no limit"}.get(key, "off"))
            assert (shown in ("no limit", "off")) == (value is None)


def test_thresholds_of_datashield_are_those_of_the_preset():
    preset = Policy.preset("datashield")
    here = {row[0].strip("`"): row for row in table_under("DataSHIELD's thresholds")[1:]}
    for filter_, key in (
        ("nfilter.tab", "min_count"),
        ("nfilter.subset", "min_rows"),
        ("nfilter.glm", "budget"),
        ("nfilter.levels.density", "max_share"),
    ):
        value = getattr(preset, key)
        assert here[filter_][1] == f"{value:g}"
        assert f"`{key} = {value:g}`" in here[filter_][3]
    assert preset.level == "SUMMARY"
    assert not preset.fillings


def test_no_row_names_a_key_that_there_is_not():
    named = set(re.findall(r"`(\w+) = ", TEXT))
    assert named <= set(KEYS)


def _toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(f'"{item}"' for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)

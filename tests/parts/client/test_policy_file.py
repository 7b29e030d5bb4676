"""Policies in TOML files: what they say, and the line of every mistake."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedps.client import Policy
from fedps.client.policy_file import KEYS, misspelt, read_policy
from fedps.errors import UsageError


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "policy.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "\ufeff"])
def test_an_empty_file_is_the_default(write, text):
    assert read_policy(write(text)) == Policy()


def test_all_keys(write):
    path = write(
        '# what the hospital agreed to\nlevel = "AGGREGATE"\nmin_rows = 20\nmax_share = 0.1\n'
        'allow = [\n  "age",  # years\n  "chol",\n]\ndeny = ["name"]\n'
        'functions = ["hospital.prep.clip"]\n'
    )
    assert read_policy(path) == Policy(
        level="AGGREGATE",
        min_rows=20,
        max_share=0.1,
        allow=["age", "chol"],
        deny=["name"],
        functions=["hospital.prep.clip"],
    )


def test_the_keys_are_those_of_a_policy():
    assert list(KEYS) == ["preset", *(field.name for field in msgspec.structs.fields(Policy))]


@pytest.mark.parametrize("text", ["max_share = 0", "max_share = 1", "min_rows = 0", "allow = []"])
def test_values_at_the_edge(write, text):
    key, _, value = text.partition(" = ")
    assert getattr(read_policy(write(text)), key) == {"0": 0, "1": 1, "[]": []}[value]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("\n\nmin_row = 3", 3, "a policy has no 'min_row'. Did you mean 'min_rows'?"),
        ('Level = "ROWS"', 1, "a policy has no 'Level'. Did you mean 'level'?"),
        ('level = "summary"', 1, "one of AGGREGATE, SUMMARY, ROWS; got 'summary'"),
        ("level = 2", 1, "level is a whole number: it must be a text"),
        ('min_rows = 5\n\nlevel = "ALL"', 3, "got 'ALL'"),
        ('min_rows = "10"', 1, "min_rows is a text: it must be a whole number"),
        ("min_rows = 10.0", 1, "min_rows is a number: it must be a whole number"),
        ("min_rows = true", 1, "min_rows is true or false"),
        ("min_rows = -1", 1, "min_rows is 0 or more"),
        ("min_rows = 1979-05-27", 1, "min_rows is something else"),
        ("max_share = true", 1, "max_share is true or false"),
        ("max_share = 33", 1, "between 0 and 1"),
        ("max_share = nan", 1, "between 0 and 1"),
        ('deny = "name"', 1, "deny is a text: it must be a list"),
        ('deny = [\n "a",\n 3,\n]', 1, "deny is a list of other things"),
        ('# x\nallow = [\n  "a",\n]\n\ndeny = 3', 6, "deny is a whole number"),
        ("max_share = 0.1\r\n\r\n# x\r\nmin_rows = -1\r\n", 4, "min_rows is 0 or more"),
        ("min_rows = 3  # three,\nmax_share = 3  # [", 2, "between 0 and 1"),
        ('functions = ["prep"]', 1, "'prep' is not a dotted name"),
        ('functions = ["prep.x; import os"]', 1, "is not a dotted name"),
        ('[policy]\nlevel = "ROWS"', 1, "a policy has no section 'policy'"),
        ("min_rows = 20\n[deny]\nx = 1", 2, "deny is something else"),
        ("deny = []\ndeny = []", 2, "this key is there twice"),
        ("min_rows = 3\nlevel = ", 2, "texts are in quotes"),
        ("min_rows 3", 1, "expected '='"),
        ('deny = ["a"', 1, "unclosed array"),
        ('deny = [\n"a",\n', 2, ""),
        (b'deny = ["\xff"]', 1, "this is not UTF-8"),
        (b'min_rows = 3\ndeny = ["\xff"]', 2, "this is not UTF-8"),
    ],
)
def test_a_mistake_has_its_line(write, text, line, says):
    with pytest.raises(UsageError) as caught:
        read_policy(write(text))
    assert str(caught.value).startswith(f"policy.toml, line {line}: ")
    assert says in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        read_policy(tmp_path / "nope.toml")
    with pytest.raises(UsageError, match="Is a directory"):
        read_policy(tmp_path)


def test_columns_that_are_not_there():
    policy = Policy(allow=["age", "chl"], deny=["nam"])
    assert list(misspelt(policy, ["age", "chol", "name"])) == [
        "allow names a column 'chl', which is not there. Did you mean 'chol'?",
        "deny names a column 'nam', which is not there. Did you mean 'name'?",
    ]
    assert list(misspelt(Policy(), ["age"])) == []


LINES = st.lists(
    st.sampled_from(
        [
            *('level = "AGGREGATE"', 'level = "ROWS"', "min_rows = 20", "max_share = 0.5"),
            *('deny = ["a"]', "deny = [", '"b",', "]", "# note", "", "[x]", "min_rows", "=", '"""'),
            *("allow = []", "minrows = 1", 'level = "rows"', "max_share = 5", "deny = [1]"),
        ]
    ),
    max_size=8,
)


@given(LINES)
def test_never_a_weaker_policy(tmp_path_factory, some):
    """What is read says all that is written; everything else is an error with a line."""
    path = tmp_path_factory.mktemp("policy") / "policy.toml"
    path.write_text("\n".join(some), "utf-8")
    try:
        policy = read_policy(path)
    except UsageError as error:
        number = int(str(error).removeprefix("policy.toml, line ").partition(":")[0])
        assert 1 <= number <= max(1, len(some))
        return
    settings = [line for line in some if "=" in line and not line.startswith("#")]
    keys = {line.partition(" = ")[0] for line in settings}
    plain = {f for f in Policy.__struct_fields__ if getattr(policy, f) == getattr(Policy(), f)}
    assert keys <= set(KEYS)
    assert not keys & plain

"""The commands and settings of docs/companies.md are those that exist, and who learns what is what it says."""

import re
import tomllib

import click
import pytest

from fedps.cli.commands import fedps_command
from fedps.engines.client_settings import read_settings
from tests.conformance import companies, who_learns
from tests.faults.owners_there import OpenedAnew, there


@pytest.mark.parametrize("words", companies.commands(), ids=" ".join)
def test_commands_exist(words):
    """Options are known, and none that is needed is missing. Files are not looked for."""
    pytest.importorskip({"flower": "flwr", "nvflare": "nvflare"}.get(words[0], "click"))
    command, context, left = fedps_command, click.Context(fedps_command), list(words)
    while isinstance(command, click.Group):
        command = command.get_command(context, left.pop(0))
        assert command is not None, words
    given, extra, _ = command.make_parser(click.Context(command)).parse_args(left)
    assert not extra
    assert {param.name for param in command.params if param.required} <= set(given)


def test_settings_exist():
    given = tomllib.loads(companies.between("That of the clinic says:\n\n```toml\n", "```\n"))
    settings = read_settings(given, "the page", "")
    assert settings.key == "patient"
    (words,) = companies.commands("nvflare", "client", "kit/clinic")
    for name, value in given.items():
        assert words[words.index(f"--{name.replace('key', 'key-column')}") + 1] == value


def test_both_engines_have_the_same_settings():
    for name in companies.KEYS:
        (flower,) = companies.commands("flower", "client", "--name", name)
        (nvflare,) = companies.commands("nvflare", "client", f"kit/{name}")
        where = ("--name", "--superlink", "--root-certificates", "--key")
        assert companies.without(flower, *where)[2:] == [
            w for w in nvflare[3:] if w != "--refuse-code"
        ]


@pytest.mark.slow
def test_who_learns_what(tmp_path):
    """Owners whose processes live for one message, and a server, all of whose messages are read here."""
    companies.write_files(tmp_path)
    policy = tmp_path / "policy.toml"
    policy.write_text(re.sub("consent = .*", "", policy.read_text("utf-8")), "utf-8")
    transport = OpenedAnew(tmp_path, settings=companies.settings(tmp_path))
    with who_learns.overheard() as heard:
        federation = there(transport, match="private")
        fitted = federation.fit(companies.pipeline(tmp_path), name=companies.FIT)
        lines = companies.ledger_lines(tmp_path)
        federation.predict(fitted, "new", to="target")
    companies.check_predictions(tmp_path)
    who_learns.check_who_learns_what(tmp_path, heard, lines)


def test_each_line_of_the_table_is_looked_at():
    table = companies.between("## Who learns what\n", "\nThat the server")
    assert tuple(re.findall(r"^\| (\w+) \|", table, re.MULTILINE)) == who_learns.LINES

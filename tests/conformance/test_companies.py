"""The commands and settings of docs/companies.md are those that exist."""

import tomllib

import click
import pytest

from fedps.cli.commands import fedps_command
from fedps.engines.client_settings import read_settings
from tests.conformance import companies


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

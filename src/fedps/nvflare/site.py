"""What a site says of itself: its table, its policy, its ledger. The file belongs to its owner.

``local/fedps.toml`` in the site's startup kit has

=========  ==========================================================================
data       the path or glob of Parquet or CSV files
target     the label column, if there is one
policy     the path of a policy file; without one the strict default policy holds
ledger     the path of the ledger, to which a line is added for everything that leaves
=========  ==========================================================================

Paths are as seen from the folder of that file. The environment variable ``FEDPS_SITE`` names another
file; ``{site}`` in it stands for the name of the site. Nothing of it comes from the server.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from fedps.client import Responder, open_table
from fedps.client.policy_file import read_policy
from fedps.engines.engine_adapter import open_client
from fedps.errors import UsageError, unknown_setting

FILE = "fedps.toml"
VARIABLE = "FEDPS_SITE"
SETTINGS = ("data", "target", "policy", "ledger")


@dataclass(frozen=True)
class Site:
    """The settings of a site, with whole paths."""

    data: str
    target: str | None = None
    policy: Path | None = None
    ledger: Path | None = None

    def open(self, name: str, peer: str) -> Responder:
        """Return what answers for the site. A mistake is an error."""
        policy = read_policy(self.policy) if self.policy else None
        table = open_table(self.data, target=self.target)
        return open_client(name, table, policy, self.ledger, peer)


def site_file(local: str | Path, name: str) -> Path:
    """Return where a site's settings are, given the ``local`` folder of its kit."""
    if elsewhere := os.environ.get(VARIABLE):
        return Path(elsewhere.replace("{site}", name)).expanduser()
    return Path(local, FILE)


def read_site(path: Path) -> Site:
    """Return the settings in a file. A mistake in it is a UsageError."""
    try:
        settings = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(
            f"the settings of this site, {str(path)!r}, cannot be read: {error.strerror}. "
            "'fedps nvflare client KIT --data FILES' writes them."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.name} is not TOML: {error}.") from None
    for key, value in settings.items():
        if key not in SETTINGS:
            raise unknown_setting(path.name, key, SETTINGS)
        if not isinstance(value, str) or not value:
            raise UsageError(f"{key!r} of {path.name} is a text in quotes; got {value!r}.")
    if "data" not in settings:
        raise UsageError(f'{path.name} does not say where the data is: data = "patients.parquet".')
    folder = path.absolute().parent

    def whole(key: str) -> Path | None:
        return folder / Path(settings[key]).expanduser() if key in settings else None

    return Site(str(whole("data")), settings.get("target"), whole("policy"), whole("ledger"))


def write_site(path: Path, site: Site) -> None:
    """Write the settings of a site."""
    given = {key: getattr(site, key) for key in SETTINGS}
    lines = [f"{key} = {_quoted(str(value))}\n" for key, value in given.items() if value]
    path.write_text("".join(lines), "utf-8")


def _quoted(text: str) -> str:
    """Return a text as TOML has it: what is special to it, and nothing else, is escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'

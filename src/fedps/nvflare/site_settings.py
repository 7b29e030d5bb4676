"""The settings of a site in a TOML file that belongs to its owner.

``local/fedps.toml`` in the site's startup kit has the settings of ``fedps.engines.client_settings``. Paths
are relative to the folder of that file. The environment variable ``FEDPS_SITE`` names another file;
``{site}`` in it stands for the name of the site. Nothing in it comes from the server.
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

from fedps.engines.client_settings import ClientSettings, read_settings
from fedps.errors import UsageError

FILE_VARIABLE = "FEDPS_SITE"


def site_file(local: str | Path, name: str) -> Path:
    """Return where the settings of a site are, given the ``local`` folder of its kit."""
    if elsewhere := os.environ.get(FILE_VARIABLE):
        return Path(elsewhere.replace("{site}", name)).expanduser()
    return Path(local, "fedps.toml")


def read_site_file(path: Path) -> ClientSettings:
    """Return the settings in a file, with absolute paths. A mistake in it is a UsageError."""
    try:
        config = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(
            f"the settings of this site, {str(path)!r}, cannot be read: {error.strerror}. "
            "'fedps nvflare client KIT --data FILES' writes them."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.name} is not TOML: {error}.") from None
    settings = read_settings(config, path.name, 'data = "patients.parquet".')
    return settings.absolute(path.absolute().parent)


def write_site_file(path: Path, settings: ClientSettings) -> None:
    """Write the settings of a site."""
    texts = {key: _quoted(value) for key, value in settings.given().items()}
    for key, table in (("dtypes", settings.dtypes), ("read", settings.read)):
        if table:
            pairs = (f"{_quoted(name)} = {json.dumps(value)}" for name, value in table.items())
            texts[key] = f"{{ {', '.join(pairs)} }}"
    path.write_text("".join(f"{key} = {text}\n" for key, text in texts.items()), "utf-8")


def _quoted(text: str) -> str:
    """Return a text as a string of TOML; only what is special there is escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'

"""The command line: ``fedps fit``, ``explain``, ``transform``, ``policy``, ``ledger``, ``requests``, engines.

For: people who would rather type a command than write a program.
May import: everything of ours, and click, rich and skops (the extra ``fedps[cli]``).
Its one rule: a mistake is one line; a program can do everything that a command does.
"""

from __future__ import annotations

import sys
from typing import Any

_EXTRA = ("click", "rich", "skops")


def main(*args: Any, **options: Any) -> None:
    """Run the command ``fedps``; say what to install if the extra is missing."""
    try:
        from fedps.cli.commands import fedps_command
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        sys.exit(f'fedps: {error.name} is not installed. Install it: pip install "fedps[cli]"')
    fedps_command(*args, **options)


__all__ = ["main"]

"""``python -m fedps.cli`` is the command ``fedps``."""

from __future__ import annotations

from fedps.cli import main

if __name__ == "__main__":
    main(prog_name="fedps")

"""Build the site: ``python docs/site/build.py``, or ``make docs``, which also serves it.

Strict: a link that leads nowhere, a public name without a docstring, a parameter that its docstring
leaves out, or an example that fails ends it with an error. Nothing is fetched.
"""

from __future__ import annotations

import os
import shutil
import sys

from layout import ROOT, SITE, lay_out
from sphinx.cmd.build import main

SOURCE, BUILT = ROOT / "build" / "site-source", ROOT / "build" / "site"


def build() -> int:
    """Build everything anew, and return Sphinx's exit code."""
    for folder in (SOURCE, BUILT):
        shutil.rmtree(folder, ignore_errors=True)
    lay_out(SOURCE)
    os.environ["COLUMNS"] = "80"  # tables in pages are as wide as this
    strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--fresh-env", "--jobs=2"]
    quiet = ["--quiet", "--doctree-dir", str(ROOT / "build" / "site-doctrees")]
    return main([*strict, *quiet, "--conf-dir", str(SITE), str(SOURCE), str(BUILT)])


if __name__ == "__main__":
    sys.exit(build())

"""What ends the build of the site: a link that leads nowhere, a name or a parameter without a word."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2] / "docs" / "site"
# the site's own settings, without the examples
CONF = f"""
from runpy import run_path
globals().update(run_path({str(HERE / "conf.py")!r}))
extensions.remove("sphinx_gallery.gen_gallery")
html_theme_options.clear()
"""
PAGE = """# A page

[to a page](nowhere.md), [to a heading](#nothing)

```{eval-rst}
.. autofunction:: fedps.errors.did_you_mean
```
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What Sphinx says against a page, where a warning is an error."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "conf.py").write_text(CONF, "utf-8")
    (folder / "index.md").write_text(PAGE, "utf-8")
    command = [sys.executable, "-m", "sphinx", "-qWn", "--keep-going", folder, folder / "built"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize(
    "name", ["Federation", "Federation.fit", "Refused", "flower.answer", "nvflare.Federation"]
)
def test_a_public_name_on_no_page(said, name):
    assert f"fedps.{name} is public, and no page" in said


@pytest.mark.parametrize("link", ["nowhere.md", "nothing"])
def test_a_link_that_leads_nowhere(said, link):
    assert f"'{link}'" in said


def test_a_parameter_that_a_docstring_leaves_out(said):
    assert "PR01: Parameters {" in said

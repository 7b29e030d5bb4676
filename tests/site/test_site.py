"""The built site: a newcomer finds what is needed, no link is dead, nothing is fetched from elsewhere."""

import inspect
import re
from pathlib import Path

import pytest

import fedps
from tests.site.built import SITE, page, pages

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples" / "gallery").glob("*.py"))

# what a newcomer looks for: words of the link that is clicked, and what must then be on the page
GOALS = {
    "install": ("install", "pip install ."),
    "first fit": ("first fit", ">>> fitted = federation.fit(prep)"),
    "my data source": ("data source", "path to Parquet, CSV, Feather or Excel"),
    "what leaves my site": ("privacy", "What each estimator may ask"),
    "run on Flower": ("flower", "fedps flower run"),
    "run on NVFLARE": ("nvflare", "fedps nvflare run"),
    "every parameter of Federation": ("parameter of federation", "class fedps.Federation("),
    "what cannot be federated, and why": ("cannot be federated", "Functions of whole columns"),
}


def followed(start, words):
    """Yield the pages that links of a page lead to, if they have these words in their text."""
    for text, href in start.links:
        found = start.target(href)
        if found and found[0].suffix == ".html" and words in text.lower():
            yield page(found[0])


@pytest.mark.parametrize("goal", GOALS)
def test_a_newcomer_finds_it_within_two_clicks(goal):
    words, wanted = GOALS[goal]
    start = page("index.html")
    first = list(followed(start, words))
    second = [there for near in followed(start, "") for there in followed(near, words)]
    assert any(wanted in there.text for there in first + second)


@pytest.mark.parametrize("goal", GOALS)
def test_the_landing_page_has_a_card_for_it(goal):
    words, wanted = GOALS[goal]
    assert any(wanted in there.text for there in followed(page("index.html"), words))


def test_the_landing_page_shows_the_example_and_the_picture():
    landing = page("index.html")
    assert ">>> scaler = fedps.fit(StandardScaler()" in landing.text
    assert "_images/overview.svg" in landing.loads


def test_links_lead_somewhere():
    dead = [
        (str(there.path.relative_to(SITE)), href)
        for there in pages()
        for _, href in there.links
        if (found := there.target(href))
        and not (found[0].exists() and (not found[1] or found[1] in ids_of(found[0])))
    ]
    assert dead == []


def ids_of(path):
    return page(path).ids if path.suffix == ".html" else ()


def test_nothing_is_loaded_from_elsewhere():
    elsewhere = re.compile(r"^(https?:)?//")
    assert [(p.path.name, it) for p in pages() for it in p.loads if elsewhere.match(it)] == []
    for style in SITE.rglob("*.css"):
        text = style.read_text("utf-8")
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", text), style


def test_every_public_name_has_a_place():
    ids = {name for there in pages() if there.path.parent.name == "api" for name in there.ids}
    engines = {
        f"fedps.{engine}.{name}"
        for engine in ("flower", "nvflare")
        for name in ("Federation", "answer")
    }
    assert {f"fedps.{name}" for name in fedps.__all__} | engines <= ids
    methods = {f"fedps.Federation.{name}" for name in vars(fedps.Federation) if name[0] != "_"}
    assert methods <= ids


def test_every_parameter_of_a_federation_is_described():
    text = (SITE / "api" / "federation.html").read_text("utf-8")
    described = text.split("fedps.Federation.schema")[0]  # before its first member
    for name in inspect.signature(fedps.Federation).parameters:
        assert f'<dt><strong>{name}</strong><span class="classifier">' in described, name


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_shows_its_output_its_plot_and_itself(name):
    there = page(f"gallery/{name}.html")
    assert 'class="sphx-glr-script-out' in there.path.read_text("utf-8")
    assert any(f"sphx_glr_{name}_" in image for image in there.loads)
    assert any(href.endswith(f"/{name}.py") for _, href in there.links)


def test_the_gallery_has_enough():
    assert len(EXAMPLES) >= 6


def test_it_can_be_searched():
    index = (SITE / "searchindex.js").read_text("utf-8")
    for word in ("standardscal", "quorum", "ledger", "penguin"):  # stems
        assert word in index.lower()

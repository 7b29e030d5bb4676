"""Run and explain as text, HTML, Markdown and JSON."""

import json
from html.parser import HTMLParser

import pytest

from fedps.report import AskRow, Explanation, Run
from fedps.report.rendering import Section, as_markdown, as_text
from tests.parts.report.people import a_run, explanation


@pytest.fixture(autouse=True)
def terminal_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


# As text


def test_a_run_as_text():
    assert as_lines(a_run()) == [
        "StandardScaler over 2 clients, 1,234 rows: 1 round, 0.12 s",
        "  client    sent  received",
        "  ------  ------  --------",
        "  oslo    1.2 KB      40 B",
        "  bergen    98 B      40 B",
        "  all     1.3 KB      80 B",
        "",
        "What left each client",
        "  round  statistic  columns    level      what it shows                       bytes",
        "  -----  ---------  ---------  ---------  ----------------------------------  -----",
        "  1      Schema     all        -          names, dtypes, rows, empty columns",
        "  1      Moments    age, chol  AGGREGATE  count, sum, sum of squares          30-41",
    ]


def test_an_explanation_as_text():
    assert as_lines(explanation()) == [
        "Fitting MinMaxScaler over 1 client would take 2 rounds",
        "  round  statistic  columns  level    what it shows",
        "  -----  ---------  -------  -------  ----------------------------------",
        "  1      Schema     all      -        names, dtypes, rows, empty columns",
        "  2      Extremes   age      SUMMARY  count, smallest and largest value",
    ]


def as_lines(shown):
    assert str(shown) == repr(shown)
    return str(shown).split("\n")


def test_many_clients_and_columns_stay_readable():
    clients = tuple(f"c{i}" for i in range(500))
    columns = tuple(f"x{i}" for i in range(54))
    sent = dict.fromkeys(clients, 40)
    run = Run("StandardScaler", clients, rounds=1, bytes_up=sent, bytes_down=dict(sent))
    run.asks = [AskRow(1, "Moments", columns, "AGGREGATE", "sums", dict.fromkeys(clients, 12))]
    lines = as_lines(run)
    assert len(lines) < 35
    assert "  ... and 480 more" in lines
    assert any("x0, x1, x2, x3 and 50 more" in line for line in lines)
    assert set(run.to_dict()["bytes_up"]) == set(clients)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_text_keeps_to_the_terminal(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    names = ("flipper_length_in_millimetres", "an_unbroken_name_" * 6, "体重")
    ask = AskRow(1, "Moments", names, "AGGREGATE", "count, sum and much more " * 4, {"oslo": 1})
    lines = as_lines(a_run(asks=[ask]))
    assert max(map(len, lines)) <= width


def test_wide_letters_are_aligned():
    section = Section("", ("客户", "sent"), [("東京", "1 B"), ("oslo", "2 B")])
    assert as_text(section).split("\n")[1:] == [
        "  客户  sent",
        "  ----  ----",
        "  東京  1 B",
        "  oslo  2 B",
    ]


def test_names_with_line_breaks_stay_in_their_line():
    run = a_run(clients=("os\nlo", "bergen"))
    run.bytes_up = run.bytes_down = {"os\nlo": 1, "bergen": 2}
    assert "  os lo    1 B       1 B" in as_lines(run)


# As HTML, Markdown and JSON


HOSTILE = "<script>alert('x')</script>"


class Tags(HTMLParser):
    """Collects the tags and the text of some HTML, and that every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.text = [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("shown", [a_run(), explanation()], ids=["run", "explanation"])
def test_html_says_what_the_text_says(shown):
    parsed = Tags(shown._repr_html_())
    assert shown.to_html() == shown._repr_html_()
    assert set(parsed.seen) == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    for cell in parsed.text:
        assert cell in str(shown)


def test_html_escapes_names():
    ask = AskRow(1, "Moments", (HOSTILE,), "AGGREGATE", "sums", {HOSTILE: 1})
    run = Run(HOSTILE, (HOSTILE,), rounds=1, asks=[ask])
    shown = Explanation(HOSTILE, (HOSTILE,), 1, [ask])
    for html in (run.to_html(), shown.to_html()):
        assert "script" not in Tags(html).seen
        assert HOSTILE not in html
        assert "&lt;script&gt;" in html


def test_html_has_no_colour_of_its_own():
    # a notebook may be light or dark: only a grey line that can be seen on both
    html = a_run().to_html()
    assert "color:" not in html.replace("background-color", "")
    assert html.count("rgba(128,128,128,0.35)") == html.count("<th ")


def test_a_run_as_markdown():
    assert a_run().to_markdown().split("\n") == [
        "**StandardScaler over 2 clients, 1,234 rows: 1 round, 0.12 s**",
        "",
        "| client | sent | received |",
        "| --- | ---: | ---: |",
        "| oslo | 1.2 KB | 40 B |",
        "| bergen | 98 B | 40 B |",
        "| all | 1.3 KB | 80 B |",
        "",
        "**What left each client**",
        "",
        "| round | statistic | columns | level | what it shows | bytes |",
        "| --- | --- | --- | --- | --- | ---: |",
        "| 1 | Schema | all | - | names, dtypes, rows, empty columns |  |",
        "| 1 | Moments | age, chol | AGGREGATE | count, sum, sum of squares | 30-41 |",
    ]


def test_markdown_keeps_bars_inside_their_cell():
    assert as_markdown(Section("", ("name",), [("a|b",)])).endswith("| a\\|b |")


def test_a_run_as_json():
    record = json.loads(a_run().to_json())
    assert record == a_run().to_dict() | {
        "clients": ["oslo", "bergen"],
        "asks": [
            {
                "round": 1,
                "statistic": "Moments",
                "columns": ["age", "chol"],
                "level": "AGGREGATE",
                "shows": "count, sum, sum of squares",
                "bytes": {"oslo": 30, "bergen": 41},
            }
        ],
    }


def test_an_explanation_as_json():
    record = json.loads(explanation().to_json())
    assert (record["estimator"], record["rounds"]) == ("MinMaxScaler", 2)
    assert record["asks"][0]["columns"] == ["age"]
    assert set(record) == set(explanation().to_dict())

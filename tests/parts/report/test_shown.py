"""Run and explain as text, HTML, Markdown and JSON."""

import io
import json
import re
from html.parser import HTMLParser

import pytest

from fedps.report import AskRow, Explanation, Run
from fedps.report.levels import LEVELS, level_label
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
        "  round  what it shows                       columns    level      statistic  bytes",
        "  -----  ----------------------------------  ---------  ---------  ---------  -----",
        "  1      names, dtypes, rows, empty columns  all        -          Schema",
        "  1      count, sum, sum of squares          age, chol  AGGREGATE  Moments    30-41",
        "AGGREGATE: sums and counts over all rows",
    ]


def test_an_explanation_as_text():
    assert as_lines(explanation()) == [
        "Fitting MinMaxScaler over 1 client would take 2 rounds",
        "  round  what it shows                       columns  level    statistic",
        "  -----  ----------------------------------  -------  -------  ---------",
        "  1      names, dtypes, rows, empty columns  all      -        Schema",
        "  2      count, smallest and largest value   age      SUMMARY  Extremes",
        "SUMMARY: values of single cells, such as the smallest, or all categories",
    ]


def as_lines(shown):
    assert str(shown) == repr(shown)
    return str(shown).split("\n")


def a_wide_run(clients=500, columns=54):
    names = tuple(f"c{i}" for i in range(clients))
    sent = dict.fromkeys(names, 40)
    run = Run("StandardScaler", names, rounds=1, bytes_up=sent, bytes_down=dict(sent))
    some = tuple(f"x{i}" for i in range(columns))
    run.asks = [AskRow(1, "Moments", some, "AGGREGATE", "sums", dict.fromkeys(names, 12))]
    return run


def test_many_clients_and_columns_stay_readable():
    lines = as_lines(a_wide_run())
    assert len(lines) < 40
    assert "  ... and 480 more" in lines
    assert any("x0, x1, x2, x3 and 50 more" in line for line in lines)
    assert lines[-1] == "Long lists are shortened: .to_text(full=True) shows them whole."


def test_long_lists_can_be_shown_whole():
    run = a_wide_run()
    text = run.to_text(full=True)
    words = text.replace(",", "").split()
    assert {*run.clients, *run.asks[0].columns} <= {*words}
    assert " more" not in text
    assert "shortened" not in text
    assert run.to_text() == str(run)
    for whole in (run.to_markdown(), run.to_html()):
        assert "x52, x53" in whole
        assert "c499" in whole


@pytest.mark.parametrize(("clients", "columns"), [(20, 4), (21, 5)])
def test_nothing_is_left_out_for_just_one_more(clients, columns):
    run = a_wide_run(clients, columns)
    assert str(run) == run.to_text(full=True)
    assert "<details>" not in run.to_html()


# Colours


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_levels_have_colours_in_a_terminal_only(monkeypatch):
    plain = str(a_run())
    assert "\x1b" not in repr(a_run())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", Terminal())
    shown = repr(a_run())
    assert shown.count("\x1b[30;46mAGGREGATE\x1b[0m") == 1
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == plain
    assert str(a_run()) == a_run().to_text() == plain  # these may go into a file


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colours_gets_none(monkeypatch, name, value):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", Terminal())
    assert repr(a_run()) == str(a_run())


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
    tables = {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert set(parsed.seen) == tables | {"span"}
    for cell in parsed.text:
        assert cell.strip() in str(shown)


def test_html_escapes_names():
    ask = AskRow(1, "Moments", (HOSTILE,), "AGGREGATE", "sums", {HOSTILE: 1})
    run = Run(HOSTILE, (HOSTILE,), rounds=1, asks=[ask])
    shown = Explanation(HOSTILE, (HOSTILE,), 1, [ask])
    for html in (run.to_html(), shown.to_html()):
        assert "script" not in Tags(html).seen
        assert HOSTILE not in html
        assert "&lt;script&gt;" in html


def test_html_has_no_colours_but_those_of_labels():
    # a notebook may be light or dark: only a grey line that can be seen on both
    html = a_run().to_html()
    labels = re.findall(r'<span style="[^"]*;color:(#\w+);background:(#\w+)"', html)
    assert labels == [(LEVELS["AGGREGATE"].text, LEVELS["AGGREGATE"].ground)] * 2
    assert html.count("color:") == html.count("background:#") == len(labels)
    in_totals = 3
    assert html.count("rgba(128,128,128,0.35)") == html.count("<th ") + in_totals


@pytest.mark.parametrize("name", LEVELS)
def test_labels_of_levels_can_be_read(name):
    """The contrast that WCAG asks for (AA) is 4.5; a label has its own ground, in any notebook."""
    level = LEVELS[name]
    light, dark = sorted(map(luminance, (level.text, level.ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) > 7
    assert f">{name}</span>" in level_label(name)
    assert level.means in level_label(name)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_long_lists_can_be_opened_in_html():
    html = a_wide_run().to_html()
    parsed = Tags(html)
    assert parsed.seen.count("details") == 2
    assert "Show all 500 rows" in parsed.text
    assert "x0, x1, x2, x3 and 50 more" in parsed.text
    assert ", ".join(f"x{i}" for i in range(54)) in parsed.text


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
        "| round | what it shows | columns | level | statistic | bytes |",
        "| --- | --- | --- | --- | --- | ---: |",
        "| 1 | names, dtypes, rows, empty columns | all | - | Schema |  |",
        "| 1 | count, sum, sum of squares | age, chol | AGGREGATE | Moments | 30-41 |",
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

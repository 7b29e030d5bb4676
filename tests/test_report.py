"""What the user sees: run and explain as text, HTML, Markdown and JSON, and the progress line."""

import io
import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)

import fedps
from fedps import progress
from fedps.progress import Progress
from fedps.rendering import Section, as_markdown, as_text
from fedps.report import AskRow, Explanation, Run

NUMBERS = ["age", "chol"]
WORDS = ["city", "sex"]


def people():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 9, 60),
            "chol": rng.normal(200, 30, 60),
            "visits": rng.integers(0, 9, 60),
            "city": rng.choice(["oslo", "bergen", "tromsø"], 60),
            "sex": rng.choice(["f", "m"], 60),
            "label": rng.choice(["yes", "no"], 60),
        }
    )
    frame.loc[::7, "age"] = np.nan
    return frame


def thirds(frame, columns=None):
    kept = frame[columns] if columns else frame
    return {"north": kept[:20], "south": kept[20:45], "west": kept[45:]}


def impute_scale():
    return make_pipeline(SimpleImputer(), StandardScaler())


@pytest.fixture(autouse=True)
def terminal_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


# What explain says is what happens


CHOICES = {
    "standard": (StandardScaler(), NUMBERS),
    "standard-without": (StandardScaler(with_mean=False, with_std=False), NUMBERS),
    "minmax": (MinMaxScaler(), NUMBERS),
    "maxabs": (MaxAbsScaler(), NUMBERS),
    "normalizer": (Normalizer(), ["chol"]),
    "function": (FunctionTransformer(np.cbrt), NUMBERS),
    "polynomial": (make_pipeline(SimpleImputer(), PolynomialFeatures(), StandardScaler()), NUMBERS),
    "one-hot": (OneHotEncoder(), WORDS),
    "one-hot-frequent": (OneHotEncoder(min_frequency=3), WORDS),
    "one-hot-drop": (OneHotEncoder(drop="first"), WORDS),
    "one-hot-given": (OneHotEncoder(categories=[["bergen", "oslo", "tromsø"]]), ["city"]),
    "ordinal": (OrdinalEncoder(), WORDS),
    "constant": (SimpleImputer(strategy="constant", add_indicator=True), NUMBERS),
    "most-frequent": (SimpleImputer(strategy="most_frequent"), WORDS),
    "indicator": (MissingIndicator(), NUMBERS),
    "frozen": (
        make_pipeline(FrozenEstimator(SimpleImputer().fit(people()[NUMBERS])), StandardScaler()),
        NUMBERS,
    ),
    "union": (make_union(StandardScaler(), MinMaxScaler(), impute_scale()), NUMBERS),
    "names": (make_column_transformer((impute_scale(), NUMBERS), (OneHotEncoder(), WORDS)), None),
    "equal-asks": (
        make_column_transformer(
            (StandardScaler(), NUMBERS), (StandardScaler(with_mean=False), NUMBERS)
        ),
        None,
    ),
    "positions": (make_column_transformer((impute_scale(), [0, 1]), (MinMaxScaler(), [2])), None),
    "slice": (make_column_transformer((impute_scale(), slice("age", "visits"))), None),
    "selectors": (
        make_column_transformer(
            (impute_scale(), make_column_selector(dtype_include=float)),
            (OneHotEncoder(), make_column_selector("city|sex")),
        ),
        None,
    ),
    "function-of-columns": (
        make_column_transformer((impute_scale(), lambda frame: list(frame.columns[:2]))),
        None,
    ),
    "remainder": (
        make_column_transformer((OneHotEncoder(), [*WORDS, "label"]), remainder=impute_scale()),
        None,
    ),
    "passthrough": (
        make_column_transformer((OneHotEncoder(), WORDS), ("passthrough", NUMBERS)),
        None,
    ),
    "nested": (
        make_column_transformer(
            (
                make_column_transformer((StandardScaler(), ["age"]), (MinMaxScaler(), ["chol"])),
                ["chol", "visits", "age"],
            ),
        ),
        None,
    ),
    "chain": (
        make_pipeline(
            make_column_transformer(
                (impute_scale(), NUMBERS), (OneHotEncoder(sparse_output=False), WORDS)
            ),
            StandardScaler(),
            MaxAbsScaler(),
        ),
        None,
    ),
    "sparse-branch": (
        make_column_transformer(
            (make_pipeline(OneHotEncoder(), MaxAbsScaler()), WORDS), (impute_scale(), NUMBERS)
        ),
        None,
    ),
}


def assert_explained(federation, estimator, **options):
    explained = federation.explain(estimator, **options)
    federation.fit(estimator, **options)
    run = federation.run
    assert explained.rounds == run.rounds
    assert [_without_bytes(ask) for ask in explained.asks] == [
        _without_bytes(ask) for ask in run.asks
    ]


def _without_bytes(ask):
    return ask.round, ask.statistic, ask.columns, ask.level, ask.shows


@pytest.mark.parametrize("choice", CHOICES)
def test_explain_matches_the_run(choice):
    estimator, columns = CHOICES[choice]
    assert_explained(fedps.Federation(thirds(people(), columns)), estimator)


OTHER_ORDERS = ["names", "nested", "chain", "remainder", "one-hot-given", "positions", "slice"]


@pytest.mark.parametrize("choice", OTHER_ORDERS)
def test_explain_matches_the_run_with_columns_in_another_order(choice):
    estimator, columns = CHOICES[choice]
    clients = thirds(people(), columns)
    clients["south"] = clients["south"][clients["south"].columns[::-1]]
    assert_explained(fedps.Federation(clients), estimator)


def test_positions_in_another_order_show_what_really_left():
    first = pd.DataFrame({"age": [1.0, 2.0], "name": ["x", "y"]})
    federation = fedps.Federation({"north": first, "south": first[["name", "age"]]})
    estimator = make_column_transformer((OrdinalEncoder(), [0]))
    assert_explained(federation, estimator)
    left = {column for entry in federation.ledgers["south"].entries for column in entry.columns}
    assert left == {"age", "name"}
    assert [ask.columns for ask in federation.run.asks] == [("age", "name"), ("age",)]
    assert federation.run.asks[0].bytes.keys() == {"north", "south"}


@pytest.mark.parametrize("labels", [LabelEncoder(), LabelBinarizer()], ids=repr)
def test_explain_matches_the_run_of_labels(labels):
    assert_explained(fedps.Federation(thirds(people()), target="label"), labels)


def test_explain_matches_the_run_with_weights():
    clients = thirds(people(), [*NUMBERS, "visits"])
    assert_explained(fedps.Federation(clients), StandardScaler(), sample_weight="visits")


def test_explain_matches_the_run_of_arrays():
    cells = people()[[*NUMBERS, "visits"]].to_numpy()
    estimator = make_column_transformer((impute_scale(), [0, 1]), (MinMaxScaler(), [2]))
    assert_explained(fedps.Federation([cells[:30], cells[30:]]), estimator)


def test_explain_computes_nothing_and_leaves_the_run_alone():
    federation = fedps.Federation(thirds(people(), NUMBERS))
    federation.explain(StandardScaler())
    with pytest.raises(fedps.UsageError, match="nothing has run yet"):
        federation.run  # noqa: B018 - it raises


# What a statistic shows depends on what was asked


@pytest.mark.parametrize(
    ("estimator", "columns", "shows"),
    [
        (StandardScaler(), NUMBERS, "count, sum, sum of squares"),
        (SimpleImputer(), NUMBERS, "count and sum"),
        (MinMaxScaler(), NUMBERS, "count, smallest and largest value"),
        (MaxAbsScaler(), NUMBERS, "count, largest absolute value"),
        (OneHotEncoder(), WORDS, "distinct values"),
        (OneHotEncoder(max_categories=2), WORDS, "distinct values and counts"),
        (
            OrdinalEncoder(categories=[["bergen", "oslo", "tromsø"]]),
            ["city"],
            "counts of the given categories",
        ),
        (MissingIndicator(), NUMBERS, "number of missing cells"),
        (Normalizer(), ["chol"], "whether all cells are finite numbers"),
    ],
    ids=repr,
)
def test_what_is_shown(estimator, columns, shows):
    federation = fedps.Federation(thirds(people(), columns))
    federation.fit(estimator)
    assert [ask.shows for ask in federation.run.asks] == [shows]


# As text


def a_run(**changes):
    run = Run("StandardScaler", ("oslo", "bergen"), rows=1234, rounds=1, seconds=0.118)
    run.bytes_up = {"oslo": 1234, "bergen": 98}
    run.bytes_down = {"oslo": 40, "bergen": 40}
    shows = "count, sum, sum of squares"
    sizes = {"oslo": 30, "bergen": 41}
    run.asks = [AskRow(1, "Moments", ("age", "chol"), "AGGREGATE", shows, sizes)]
    for name, value in changes.items():
        setattr(run, name, value)
    return run


def explanation():
    ask = AskRow(2, "Extremes", ("age",), "SUMMARY", "count, smallest and largest value")
    return Explanation("MinMaxScaler", ("oslo",), 2, [ask])


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
    run = Run("StandardScaler", clients, rounds=1)
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


# What a real run records


def test_what_a_run_adds_up_to():
    federation = fedps.Federation(thirds(people(), NUMBERS))
    federation.fit(impute_scale())
    run = federation.run
    assert (run.rows, run.rounds, run.clients) == (60, 2, ("north", "south", "west"))
    assert [ask.round for ask in run.asks] == [1, 2]
    for ask in run.asks:
        assert set(ask.bytes) == set(run.clients)
        assert min(ask.bytes.values()) > 0
    assert min(run.bytes_up.values()) > 0
    assert len(set(run.bytes_down.values())) == 1
    assert run.seconds > 0
    json.dumps(run.to_dict())


def test_a_refused_run_still_says_what_was_asked():
    policy = {"west": fedps.Policy(level="AGGREGATE")}
    federation = fedps.Federation(thirds(people(), NUMBERS), policy=policy)
    with pytest.raises(fedps.Refused):
        federation.fit(MinMaxScaler())
    assert (federation.run.rounds, federation.run.asks[0].statistic) == (1, "Extremes")
    assert "Extremes" in str(federation.run)


# The progress line


class Terminal(io.StringIO):
    """A terminal that also knows what is on its last line now."""

    def isatty(self):
        return True

    @property
    def line(self):
        shown = []
        place = 0
        for letter in self.getvalue():
            if letter == "\r":
                place = 0
                continue
            shown[place : place + 1] = [letter]
            place += 1
        return "".join(shown).rstrip()


@pytest.fixture
def clock(monkeypatch):
    """A clock that only goes on when told to."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_progress_waits_a_moment(clock):
    terminal = Terminal()
    line = Progress(3, stream=terminal)
    line.update(1, 1)
    clock[0] += 0.9
    line.update(1, 2)
    line.close()
    assert terminal.getvalue() == ""


def test_progress_says_rounds_and_clients(clock):
    terminal = Terminal()
    line = Progress(12, stream=terminal)
    clock[0] += 1.1
    line.update(3, 11)
    assert terminal.line == "fedps: round 3, 11 of 12 clients answered"
    line.update(4, 1)
    assert terminal.line == "fedps: round 4, 1 of 12 clients answered"
    line.close()
    assert terminal.line == ""
    assert terminal.getvalue().endswith("\r")
    assert "\n" not in terminal.getvalue()


def test_progress_is_for_terminals_unless_asked_for(clock):
    stream = io.StringIO()
    line = Progress(2, stream=stream)
    clock[0] += 2
    line.update(1, 1)
    assert stream.getvalue() == ""
    line = Progress(2, show=True, stream=stream)
    clock[0] += 2
    line.update(1, 1)
    assert "1 of 2 clients" in stream.getvalue()


def test_a_long_fit_shows_progress_and_takes_it_away(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    federation = fedps.Federation(thirds(people(), NUMBERS))
    federation.fit(impute_scale())
    for number in (1, 2):
        assert f"fedps: round {number}, 3 of 3 clients answered" in terminal.getvalue()
    assert terminal.line == ""


def test_progress_is_taken_away_when_a_fit_fails(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with pytest.raises(fedps.ClientError):
        fedps.Federation(thirds(people())).fit(StandardScaler())
    assert "clients answered" in terminal.getvalue()
    assert terminal.line == ""


def test_nothing_is_written_where_there_is_no_terminal(capfd, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    fedps.fit(StandardScaler(), thirds(people(), NUMBERS))
    assert capfd.readouterr() == ("", "")

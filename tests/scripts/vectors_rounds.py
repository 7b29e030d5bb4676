"""Bad rounds as they stand on the wire, and what is said of each."""

from __future__ import annotations

from tests.scripts.wire import (
    CELL,
    DTYPE,
    FUNCTION,
    SCALAR,
    TUPLE,
    Ext,
    array,
    described,
    facts,
    msgpack,
    packed,
    round_of,
)

SCALER = described("StandardScaler")
ASK = [0, 0, []]


def pipeline(*fields):
    """Return a round whose request describes an estimator by these fields."""
    return round_of(ASK, pipeline=list(fields))


def with_params(params):
    return pipeline("X", params)


def holding(value):
    """Return a round whose request has a parameter of some value."""
    return with_params(facts(msgpack({"a": value})))


def request(**fields):
    """Return a round with some fields of its request changed."""
    whole = {
        "pipeline": SCALER,
        "clients": 1,
        "outputs": False,
        "weight": None,
        "quantiles": None,
        "frequent": None,
        "across": False,
        "fit": None,
        "match": None,
    }
    return [1, [], [], b"", list({**whole, **fields}.values())]


def tell(*fields):
    return round_of(tells=[list(fields)], pipeline=SCALER)


def among(*fields):
    return tell("among", 0, 0, 20, *fields)


def sketch(*fields):
    return request(quantiles=list(fields))


def asks(*every):
    return round_of(*every, pipeline=SCALER)


PARAMS = "request.pipeline.params"
ROUNDS = {
    "not a list": ("x", "it must be `array`, not `str`"),
    "a dictionary": ({"number": 1}, "it must be `array`, not `object`"),
    "too short": ([1, []], "it must be `array` of at least length 3, not 2"),
    "too long": ([1, [], [], b"", None, CELL], "it must be `array` of at most length 5, not 6"),
    "after": ([1, [], [], CELL], "after must be `bytes`, not `str`"),
    "after long": ([1, [], [], b"12345"], "after must be `bytes` of length <= 4"),
    "number": (["1", [], []], "number must be `int`, not `str`"),
    "number sign": ([-1, [], []], "number must be `int` >= 1"),
    "number zero": ([0, [], []], "number must be `int` >= 1"),
    "number range": ([2**40, [], []], "number must be `int` <= 2147483648"),
    "number nil": ([None, [], []], "number must be `int`, not"),
    "tells": ([1, None, []], "tells must be `array`, not"),
    "asks": ([1, [], 3], "asks must be `array`, not `int`"),
    # asks
    "ask text": (asks(CELL), "asks[0] must be `array`, not `str`"),
    "ask short": (asks([0]), "asks[0] must be `array` of at least length 2"),
    "ask long": (
        asks(ASK, [0, 0, [], None, None, 1]),
        "asks[1] must be `array` of at most length 5",
    ),
    "place sign": (asks(ASK, [-1, 0]), "asks[1].place must be `int` >= 0"),
    "place range": (asks([2000, 0]), "asks[0].place must be `int` <= 999"),
    "place float": (asks([0.5, 0]), "asks[0].place must be `int`, not `float`"),
    "question": (asks([0, CELL]), "asks[0].question must be `int`, not `str`"),
    "question sign": (asks([0, -1]), "asks[0].question must be `int` >= 0"),
    "question range": (asks([0, 10**6]), "asks[0].question must be `int` <= 100000"),
    "columns": (asks([0, 0, [], CELL]), "asks[0].columns must be `array | null`, not `str`"),
    "column": (asks([0, 0, [], [0, CELL]]), "asks[0].columns[1] must be `int`, not `str`"),
    "column sign": (asks([0, 0, [], [-1]]), "asks[0].columns[0] must be `int` >= 0"),
    "many columns": (
        asks([0, 0, [], [0] * (2**18 + 1)]),
        "asks[0].columns must be `array` of length <=",
    ),
    "given": (asks([0, 0, [], None, 0]), "asks[0].given must be `int` >= 1"),
    "a statistic": (
        asks([["moments", 2, None, None], 0]),
        "asks[0].place must be `int`, not `array`",
    ),
    # tells: nothing else is known, and nothing of what a server could once say
    "tell text": (round_of(tells=[CELL]), "tells[0] must be `array`, not `str`"),
    "tell tag": (tell(CELL), "tells[0].type is not one of the known words"),
    "tell number": (tell(3), "tells[0].type must be `str`, not `int`"),
    "no tag": (tell(), "tells[0] must be `array` of at least length 1"),
    **{
        f"no {word}": (tell(word, []), "tells[0].type is not one of the known words")
        for word in ("apply", "select", "draw", "folds", "fit", "route", "use", "give")
    },
    "tell view": (round_of(tells=[[2, 0, ["keep"]]]), "tells[0].type must be `str`, not `int`"),
    "order": (tell("order", ["a", 3]), "tells[0].names[1] must be `str`, not `int`"),
    "long name": (
        tell("order", ["x" * 600]),
        "tells[0].names[0] must be `str` of length <= 512",
    ),
    "many names": (
        tell("order", ["x"] * 100_001),
        "tells[0].names must be `array` of length <= 100000",
    ),
    "fitted short": (tell("fitted", 0), "tells[0] must be `array` of at least length 3"),
    "fitted long": (tell("fitted", 0, facts(), False, 1), "tells[0] must be `array` of at most"),
    "fitted place": (tell("fitted", 2**40, facts()), "tells[0].place must be `int` <= 999"),
    "numbers": (tell("fitted", 0, array(1)), "tells[0].numbers must be Numbers, not ndarray"),
    "trial": (tell("fitted", 0, facts(), 1), "tells[0].trial must be `bool`, not `int`"),
    "among": (tell("among", 0, 0), "tells[0] must be `array` of at least length 4"),
    "start": (tell("among", 0, -1, 20), "tells[0].start must be `int` >= 0"),
    "rows": (tell("among", 0, 0, 2**60), "tells[0].rows must be `int` <= 9007199254740992"),
    "state": (among(CELL), "tells[0].state must be RandomState, not str"),
    "classes": (among(None, [1, 2]), "tells[0].classes must be ndarray, not list"),
    "listed folds": (among(None, None, None, None, 3), "tells[0].folds must be ndarray, not int"),
    "given number": (tell("given", 0, array(1)), "tells[0].number must be `int` >= 1"),
    "given array": (tell("given", 1, CELL), "tells[0].array must be ndarray, not str"),
    "beside": (tell("beside", 0, -1), "tells[0].columns must be `int` >= 0"),
    "keep": (tell("keep", CELL), "tells[0] must be `array` of at most length 0"),
    # the request
    "request": ([1, [], [], b"", CELL], "request must be `array | null`, not `str`"),
    "request short": ([1, [], [], b"", []], "request must be `array` of at least length 1"),
    "request long": (
        [1, [], [], b"", [*request()[4], 1]],
        "request must be `array` of at most length 9",
    ),
    "clients": (request(clients=0), "request.clients must be `int` >= 1"),
    "outputs": (request(outputs=CELL), "request.outputs must be `bool`, not `str`"),
    "weight": (request(weight=3), "request.weight must be `str | null`, not `int`"),
    "long weight": (request(weight="x" * 600), "request.weight must be `str` of length <= 512"),
    "match": (request(match=3), "request.match must be `str | null`, not `int`"),
    "fit": (request(fit=["x"]), "request.fit must be `str | null`, not `array`"),
    "unknown sketch": (sketch(CELL), "request.quantiles.type is not one of the known words"),
    "sketch tag": (sketch(3), "request.quantiles.type must be `str`, not `int`"),
    "no sketch": (sketch(), "request.quantiles must be `array` of at least length 1"),
    "sketch text": (
        request(quantiles="kll"),
        "request.quantiles must be `array | null`, not `str`",
    ),
    "sketch size": (sketch("kll", CELL), "request.quantiles.k must be `int`, not `str`"),
    "order of moments": (sketch("moments", CELL), "request.quantiles.order must be `int`"),
    "counts": (request(frequent=["categories", None]), "request.frequent.counts must be `bool`"),
    "marker": (request(frequent=["missing", Ext(99, b"x")]), "it has an unknown extension type 99"),
    # the pipeline
    "pipeline text": (
        round_of(pipeline=CELL),
        "request.pipeline must be `array | null`, not `str`",
    ),
    "pipeline short": (pipeline("X"), "request.pipeline must be `array` of at least length 2"),
    "pipeline long": (
        pipeline("X", facts(), [], None, 1),
        "request.pipeline must be `array` of at most length 4, not 5",
    ),
    "estimator": (pipeline(3, facts()), "request.pipeline.estimator must be `str`, not `int`"),
    "long estimator": (pipeline("x" * 600, facts()), "request.pipeline.estimator must be `str` of"),
    "params": (pipeline("X", CELL), f"{PARAMS} must be Parameters, not str"),
    "steps": (pipeline("X", facts(), [SCALER, 3]), "request.pipeline.steps[1] must be `array`"),
    "many steps": (
        pipeline("X", facts(), [SCALER] * 1001),
        "request.pipeline.steps must be `array` of length <= 1000",
    ),
    "step": (
        pipeline("X", facts(), [["Y", facts(), [["Z", 3]]]]),
        "request.pipeline.steps[0].steps[0].params must be Parameters, not int",
    ),
    "frozen": (pipeline("X", facts(), [], CELL), "request.pipeline.frozen must be `array | null`"),
    "frozen numbers": (
        pipeline("X", facts(), [], ["Y", facts(), 3]),
        "request.pipeline.frozen.numbers must be Numbers, not int",
    ),
    "parameters cut": (with_params(facts(b"\x81")), f"{PARAMS} is cut short"),
    "parameters left": (with_params(facts(b"\x80\x80")), f"{PARAMS} has bytes left over"),
    "parameters list": (with_params(facts(b"\x90")), f"{PARAMS} has parameters of the wrong shape"),
    "parameter key": (with_params(facts(b"\x81\x01\x01")), f"{PARAMS} has"),
    "parameter text": (with_params(facts(b"\x81\xa1a\xa1\xff")), PARAMS),
    "parameter code": (holding(Ext(77, b"")), f"{PARAMS} has an unknown extension type 77"),
    "tuple": (holding(Ext(TUPLE, b"\x80")), f"{PARAMS} has"),
    "dtype": (holding(Ext(DTYPE, b"<U999999999")), f"{PARAMS} is not a dtype of plain cells"),
    "dtype fields": (holding(Ext(DTYPE, b"i4,(9999,9999)f8")), f"{PARAMS} is not a dtype"),
    "dtype bytes": (holding(Ext(DTYPE, b"\xff")), PARAMS),
    "no dtype": (holding(Ext(DTYPE, b"<i3")), PARAMS),
    "function bytes": (holding(Ext(FUNCTION, b"\xff\xfe")), PARAMS),
    "scalar": (holding(Ext(SCALAR, packed(9, 0, (), b""))), PARAMS),
}

"""The digest of a request: equal for what is the same, different for what is not."""

import numpy as np
import pytest
from msgspec import structs
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import fedps
from fedps.assembly import freeze
from fedps.client.requests.digest import request_digest
from fedps.learned import Described, Function, Parameters
from fedps.plans.describe import describe
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Request
from fedps.protocol.pooled import Pooled


def of(estimator, **options):
    """Return a request as it arrives at a client."""
    return arrived(Request(describe(estimator, Pooled(freeze=freeze)), **options))


def arrived(request):
    return decode(encode(request), Request, "the server")


def frozen(mean):
    return make_pipeline(
        FrozenEstimator(StandardScaler().fit(np.array([[0.0], [2 * mean]]))), StandardScaler()
    )


DIFFERENT = [
    of(StandardScaler()),
    of(StandardScaler(with_mean=False)),
    of(StandardScaler(), weight="age"),
    of(StandardScaler(), weight="chol"),
    of(StandardScaler(), outputs=True),
    of(StandardScaler(), across=True),
    of(StandardScaler(), quantiles=fedps.KLL(k=200)),
    of(StandardScaler(), quantiles=fedps.KLL(k=201)),
    of(StandardScaler(), frequent=fedps.FrequentItems(k=200)),
    of(make_pipeline(StandardScaler())),
    of(make_pipeline(StandardScaler(), StandardScaler())),
    of(make_pipeline(make_pipeline(StandardScaler()), StandardScaler())),
    of(make_pipeline(StandardScaler(), make_pipeline(StandardScaler()))),
    of(SimpleImputer(missing_values=-1)),
    of(SimpleImputer(missing_values=-1.0)),
    of(SimpleImputer(missing_values=None)),
    of(SimpleImputer()),
    of(SimpleImputer(strategy="constant", fill_value="1")),
    of(SimpleImputer(strategy="constant", fill_value=1)),
    of(SimpleImputer(strategy="constant", fill_value=True)),
    of(make_column_transformer((StandardScaler(), ["0"]))),
    of(make_column_transformer((StandardScaler(), [0]))),
    of(make_column_transformer((StandardScaler(), ["0", "1"]))),
    of(make_column_transformer((StandardScaler(), ["1", "0"]))),
    of(make_column_transformer((StandardScaler(), ["0"]), (StandardScaler(), ["1"]))),
    of(make_column_transformer((StandardScaler(), ["0"]), remainder="passthrough")),
    of(make_column_transformer((StandardScaler(), make_column_selector("a")))),
    of(make_column_transformer((StandardScaler(), make_column_selector("b")))),
    of(OneHotEncoder(categories=[["a", "b"]])),
    of(OneHotEncoder(categories=[["a"], ["b"]])),
    of(OneHotEncoder(categories=[np.array(["a", "b"], dtype=object)])),
    of(OneHotEncoder(dtype=np.float32)),
    of(OneHotEncoder(dtype=np.dtype("float32"))),
    of(FunctionTransformer(np.log1p)),
    of(FunctionTransformer(np.log)),
    of(FunctionTransformer(np.log, kw_args={"a": 1})),
    of(FunctionTransformer(np.log, kw_args={"a": [1]})),
    of(FunctionTransformer(np.log, kw_args={"a": (1,)})),
    of(FunctionTransformer(np.log, kw_args={"a": {"dict": 1}})),
    of(FunctionTransformer(np.log, kw_args={"a": ["dict", 1]})),
    of(frozen(1.0)),
    of(frozen(2.0)),
]


def test_what_differs_has_another_digest():
    digests = [request_digest(request) for request in DIFFERENT]
    assert len(set(digests)) == len(digests)
    assert all(len(digest) == 32 for digest in digests)


@pytest.mark.parametrize("request_", DIFFERENT)
def test_a_request_that_is_kept_has_the_same_digest(request_):
    assert request_digest(arrived(request_)) == request_digest(request_)


def with_params(params):
    return Request(Described("StandardScaler", Parameters(params)))


def test_the_order_of_parameters_does_not_matter():
    one = with_params({"with_mean": True, "with_std": {"b": 1, "a": [2, {"d": 0, "c": 1}]}})
    other = with_params({"with_std": {"a": [2, {"c": 1, "d": 0}], "b": 1}, "with_mean": True})
    assert request_digest(one) == request_digest(other)


def test_numbers_of_numpy_are_numbers():
    one = with_params({"a": 0.5, "b": 3, "c": True, "d": "x", "e": float("nan")})
    nan = np.array([0xFFF8000000000000], dtype=np.uint64).view(np.float64)[0].item()
    numpy = {"a": np.float64(0.5), "b": np.int64(3), "c": np.bool_(True), "d": np.str_("x")}
    assert request_digest(one) == request_digest(with_params({**numpy, "e": nan}))
    narrow = with_params({**one.pipeline.params, "a": np.float32(0.5)})
    assert request_digest(one) != request_digest(narrow)


def test_how_many_take_part_and_the_name_of_the_fit_do_not_matter():
    one = of(StandardScaler())
    assert request_digest(structs.replace(one, clients=7, fit="a")) == request_digest(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({1: 0}, {"1": 0}),
        ({None: 0}, {"None": 0}),
        (Parameters({"a": 1}), {"a": 1}),
        ({"a": 1}, ["a", 1]),
        (Function("f"), "f"),
        (Function("f"), {"name": "f"}),
        (["value", b"x"], "x"),
        ([], ()),
        (-0.0, 0.0),
        (1, 1.0),
        (1, True),
        (np.array([1.0]), [1.0]),
        (np.array([1.0]), np.array([1])),
        (np.zeros((2, 0)), np.zeros((0, 2))),
    ],
)
def test_values_that_look_alike_differ(one, other):
    assert request_digest(with_params({"a": one})) != request_digest(with_params({"a": other}))

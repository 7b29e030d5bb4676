"""What clients of one process hear alike is worked out once for a fit, and never for another one."""

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

import fedps
from fedps.assembly import build, twin
from fedps.client import hearing
from fedps.protocol.codec import encode
from fedps.protocol.messages import Request, Round

MESSAGE = encode(Round(1, (), (), request=Request(None)))


def test_clients_that_hear_the_same_share_it_until_one_forgets():
    heard = hearing.hear(MESSAGE)
    assert hearing.hear(bytes(bytearray(MESSAGE))) is heard
    assert hearing.hear(MESSAGE, alone=True) is not heard
    hearing.forget([MESSAGE])
    assert hearing.hear(MESSAGE) is not heard


def test_what_is_made_once_is_made_for_the_first():
    heard = hearing.hear(MESSAGE, alone=True)
    assert [heard.once("about", lambda n=n: n) for n in range(3)] == [0, 0, 0]
    assert heard.once("something else", lambda: 3) == 3


@pytest.mark.parametrize("policy", ["open", "default"])
def test_steps_are_assembled_once_for_all_clients_of_a_fit(monkeypatch, policy):
    made = []
    recipe = build.RECIPES["SimpleImputer"]

    def counted(*args):
        made.append(args)
        return recipe(*args)

    monkeypatch.setitem(build.RECIPES, "SimpleImputer", counted)
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # threads could both be the first
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 2))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    clients = np.array_split(rows, 6)
    federation = fedps.Federation(clients, progress=False, policy=fedps.Policy.preset(policy))
    pipeline = make_pipeline(SimpleImputer(), StandardScaler())
    for fits in (1, 2):
        fitted = federation.fit(pipeline)
        assert len(made) == 2 * fits  # for the clients, and for the caller
        expected = pipeline.fit(rows)
        np.testing.assert_allclose(fitted[1].scale_, expected[1].scale_, rtol=1e-12)


def test_a_twin_can_be_changed_and_shares_what_was_learned():
    rows = np.arange(12.0).reshape(6, 2)
    fitted = make_pipeline(StandardScaler(), KBinsDiscretizer(2, strategy="uniform")).fit(rows)
    twins = {}
    copied = twin(fitted, twins)
    assert copied[0].mean_ is fitted[0].mean_
    assert copied[1]._encoder is not fitted[1]._encoder
    assert twins[id(fitted[1])] is copied[1]
    copied[1].transform = None
    assert (fitted.transform(rows) != 0).nnz

"""Looks whose server dies, or whose clients refuse: they go on as a fit does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fedps
from fedps.client import Policy, Responder, open_table
from fedps.transports import LocalTransport
from tests.faults.faulty import DIES, Faulty, ServerDies

NAMES = ("bergen", "oslo", "turku")


def table(seed):
    """Rows of which one column has so many values that describing it takes a second round."""
    rng = np.random.default_rng(seed)
    rows = 400 + 10 * seed
    return pd.DataFrame(
        {
            "income": rng.lognormal(10, 0.7, rows),
            "age": rng.integers(20, 90, rows).astype(float),
            "sex": rng.choice(["f", "m"], rows),
        }
    )


def transport(**policies):
    return LocalTransport(
        {
            name: Responder(name, open_table(table(i)), policies.get(name, Policy.open()))
            for i, name in enumerate(NAMES)
        }
    )


LOOKS = {
    "describe": lambda federation, **more: federation.describe(**more),
    "describe by": lambda federation, **more: federation.describe(by="sex", **more),
    "crosstab": lambda federation, **more: federation.crosstab("sex", "age", **more),
    "corr": lambda federation, **more: federation.corr(**more),
}


@pytest.mark.parametrize("name", LOOKS)
def test_it_goes_on_after_any_round(name, tmp_path):
    look = LOOKS[name]
    plain = fedps.Federation(transport(), progress=False)
    expected = look(plain).to_json()
    for done in range(plain.run.rounds):
        path = tmp_path / f"after {done}"
        dying = fedps.Federation(Faulty(transport(), crash_after=done), progress=False)
        with pytest.raises(ServerDies):
            look(dying, checkpoint=path)
        after = Faulty(transport())
        federation = fedps.Federation(after, progress=False)
        assert look(federation, checkpoint=path).to_json() == expected
        assert after.exchanges == plain.run.rounds - done
        assert federation.run.resumed == done
        assert not path.exists()


def test_a_checkpoint_of_another_look(tmp_path):
    path = tmp_path / "file"
    with pytest.raises(ServerDies):
        LOOKS["describe by"](
            fedps.Federation(Faulty(transport(), crash_after=1), progress=False), checkpoint=path
        )
    with pytest.raises(fedps.UsageError, match="belongs to a different"):
        fedps.Federation(transport(), progress=False).corr(checkpoint=path)


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("why", ["refuses", "dies"])
def test_a_quorum_goes_on_without_one(name, why):
    strict = {"oslo": Policy(min_rows=10_000)} if why == "refuses" else {}
    faults = {("oslo", 1): DIES} if why == "dies" else {}
    federation = fedps.Federation(Faulty(transport(**strict), faults), quorum=2, progress=False)
    found = LOOKS[name](federation)
    (left,) = federation.run.left_out
    assert left.client == "oslo"
    others = {n: table(i) for i, n in enumerate(NAMES) if n != "oslo"}
    expected = LOOKS[name](fedps.Federation(others, progress=False))
    pd.testing.assert_frame_equal(found.to_pandas(), expected.to_pandas(), check_exact=True)

"""Owners of columns on an engine: what they keep, that nothing is written over, and processes that die."""

from __future__ import annotations

import stat
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import MinMaxScaler

import fedps
from fedps.client.owner.fit_folder import FitFolder
from fedps.transports import Lost
from tests.conformance import columns
from tests.conformance.scenario import bits
from tests.faults.faulty import ServerDies
from tests.faults.owners_there import OpenedAnew, there
from tests.mistakes.mistake import without_round

FEATURES = [name for own in columns.FEATURES.values() for name in own if name != "city"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return columns.here(tmp_path_factory.mktemp("here"))


def told(found, expected):
    for name in found:
        assert found[name] == expected[name], name


def test_owners_whose_processes_live_for_one_message(tmp_path, expected):
    told(columns.story(there(OpenedAnew(tmp_path, repeated=True)), tmp_path), expected)
    assert columns.parts_of(tmp_path) == expected["parts"]


def test_what_is_kept_is_the_owners_alone(tmp_path):
    there(OpenedAnew(tmp_path)).fit(columns.simple(), name="simple")
    for name in columns.CLIENTS:
        folder = tmp_path / f"{name}-columns.jsonl.fits"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        files = [path for path in folder.iterdir() if path.is_file()]
        assert {path.name for path in files} >= {"simple.skops", "simple.json"}
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_transformed_rows_are_written_where_the_owner_says(tmp_path):
    transport = OpenedAnew(tmp_path)
    transport.settings["turku"] = replace(
        transport.settings["turku"], outputs=tmp_path / "mine.csv"
    )
    federation = there(transport)
    scaler = columns.simple()[0]
    fitted, outputs = federation.fit_transform(scaler, name="scaled")
    assert "stays there" in repr(outputs["oslo"])
    every = columns.people()
    wanted = (every["income"] - every["income"].mean()) / every["income"].std(ddof=0)
    rows = pd.read_parquet(tmp_path / "oslo-rows" / "scaled.parquet")
    np.testing.assert_allclose(rows["scaled__income"], wanted)
    assert rows["customer"].tolist() == every["key"].tolist()
    assert stat.S_IMODE((tmp_path / "mine.csv").stat().st_mode) == 0o600
    assert list(pd.read_csv(tmp_path / "mine.csv").columns) == ["Kunde", "scaled__spent"]
    with pytest.raises(fedps.NotFederated, match="each client transforms its own rows"):
        federation.transform(fitted)
    with pytest.raises(fedps.ClientError) as caught:
        federation.fit(columns.simple(), name="other")
    assert without_round(caught.value) == (
        "client 'turku' has a file already where its transformed rows would go, and none is written over. The "
        'data owner moves it away, or names a folder in the settings there, outputs = "folder".'
    )


def test_a_fit_is_never_written_over(tmp_path):
    federation = there(OpenedAnew(tmp_path))
    federation.fit(columns.simple(), name="risk")
    before = columns.FIT, (tmp_path / "oslo-columns.jsonl.fits" / "risk.skops").read_bytes()
    for other in (columns.simple(), BayesianRidge()):
        with pytest.raises(fedps.ClientError) as caught:
            federation.fit(other, name="risk")
        assert caught.value.round == 1
        assert without_round(caught.value) == (
            "clients 'bergen', 'oslo' and 'turku' keep their part of an earlier fit 'risk', and none is written "
            "over. Give this fit another name, fit(..., name=...); or the data owner moves the old files away."
        )
    assert before[1] == (tmp_path / "oslo-columns.jsonl.fits" / "risk.skops").read_bytes()


def test_the_same_fit_of_other_rows_is_another_fit(tmp_path):
    transport = OpenedAnew(tmp_path)
    scaler = columns.simple()[0]
    there(transport).fit(scaler, name="scaled")
    there(transport).fit(scaler, name="scaled")  # as a repeated message: nothing is written
    path = transport.settings["oslo"].data
    pd.read_parquet(path).assign(income=1.5).to_parquet(path)
    with pytest.raises(fedps.ClientError, match="client 'oslo' keeps its part of an earlier fit"):
        there(transport).fit(scaler, name="scaled")


@pytest.mark.parametrize("name", ["../risk", ".risk", "risk.", "a b", "x" * 65, "å"])
def test_names_that_are_no_names_of_files(tmp_path, name):
    for estimator in (columns.simple()[0], columns.simple()):
        with pytest.raises(fedps.ClientError, match="as the name of a fit"):
            there(OpenedAnew(tmp_path)).fit(estimator, name=name)
    assert not list(tmp_path.glob("*.fits/*.skops"))


def test_predictions_of_new_rows(tmp_path):
    transport = OpenedAnew(tmp_path, repeated=True)
    federation = there(transport)
    fitted = federation.fit(columns.simple())
    assert fitted.fit.startswith("Pipeline-")
    assert float(fitted.alpha_) > 0
    (path,) = fedps.save(fitted, tmp_path / "risk.parts")
    pooled = columns.simple().fit(columns.people(), columns.people()[columns.TARGET])
    new = pd.concat([columns.table(name, new=True) for name in columns.CLIENTS], axis=1)
    expected = pooled.predict(new)
    again = there(transport)
    found = again.predict(fedps.load(path), "new")
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert (
        again.run.rounds == 3
    )  # the keys of the new rows are compared first; then two under masks
    delivered = again.predict(fedps.load(path), "new", to="target")
    assert (delivered.client, delivered.rows) == ("oslo", columns.NEW)
    (file,) = (tmp_path / "oslo-predictions").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    kept = pd.read_parquet(file)
    assert kept["customer"].tolist() == list(range(columns.NEW))
    np.testing.assert_array_equal(kept["prediction"], found)
    assert not (tmp_path / "turku-predictions").exists()


def test_predictions_that_do_not_fit_in_a_message(tmp_path, monkeypatch):
    monkeypatch.setattr("fedps.federation.owners.predicting.MOST_DELIVERED", columns.NEW - 1)
    federation = there(OpenedAnew(tmp_path))
    fitted = federation.fit(columns.simple())
    with pytest.raises(fedps.UsageError, match=f"{columns.NEW} predictions do not fit"):
        federation.predict(fitted, "new", to="target")
    assert len(federation.predict(fitted, "new")) == columns.NEW


def test_neighbours_predict_there(tmp_path):
    federation = there(OpenedAnew(tmp_path))
    every = columns.people()
    every["bmi"], every["visits"] = every["bmi"].fillna(27.0), every["visits"].fillna(4.0)
    for name, own in columns.settings(tmp_path).items():
        chosen = [c for c in columns.FEATURES[name] if c != "city"]
        also = [columns.TARGET] if name == "oslo" else []
        frame = every[["key", *chosen, *also]].rename(columns={"key": columns.KEYS[name]})
        frame.to_parquet(own.data)
    federation = there(OpenedAnew(tmp_path, settings=federation._session.transport.settings))
    fitted = federation.fit(KNeighborsRegressor(3))
    fedps.save(fitted, tmp_path / "near.parts")
    pooled = KNeighborsRegressor(3).fit(every[FEATURES], every[columns.TARGET])
    found = federation.predict(fedps.load(tmp_path / "near.parts"))
    np.testing.assert_allclose(found, pooled.predict(every[FEATURES]))


def test_new_rows_must_be_the_same(tmp_path):
    transport = OpenedAnew(tmp_path)
    federation = there(transport)
    fitted = federation.fit(columns.simple())
    new = columns.table("turku", new=True).iloc[::-1]
    new.to_parquet(transport.settings["turku"].new)
    with pytest.raises(fedps.Disagreement, match="of the rows to predict: clients 'bergen' and"):
        federation.predict(fitted, "new")
    new.drop(columns="spent").to_parquet(transport.settings["turku"].new)
    with pytest.raises(fedps.ClientError, match="new rows without the column 'spent'"):
        federation.predict(fitted, "new")
    transport.settings["turku"] = replace(transport.settings["turku"], new=None)
    with pytest.raises(fedps.ClientError, match='names their file in the settings there, new = "'):
        federation.predict(fitted, "new")


# Processes that die -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator", [columns.model(), columns.simple()[0]], ids=["model", "scaler"]
)
def test_a_server_that_died_goes_on(tmp_path, estimator):
    whole = tmp_path / "whole"
    whole.mkdir()
    transport = OpenedAnew(whole)
    run = there(transport)
    run.fit(estimator, name="risk")
    aligned = len(columns.CLIENTS)
    delivery = transport.replies - aligned
    for died in (aligned + 1, *range(max(delivery, aligned + 2), transport.replies + 1)):
        folder = tmp_path / f"{died}"
        folder.mkdir()
        dying, path = OpenedAnew(folder, crash_after=died), folder / "fit.checkpoint"
        if died < transport.replies:
            with pytest.raises(ServerDies):
                there(dying).fit(estimator, checkpoint=path)
        again = OpenedAnew(folder, settings=dying.settings)
        federation = there(again)
        fitted = federation.fit(estimator, checkpoint=path)
        assert federation.run.resumed == (died - aligned) // aligned * (died < transport.replies)
        assert not path.exists()
        for name in columns.CLIENTS:
            kept = FitFolder(dying.settings[name].ledger)
            assert [note.stem for note in kept.path.glob("*.json")] == [fitted.fit]
            first = FitFolder(transport.settings[name].ledger).part("risk")
            assert bits(kept.part(fitted.fit)) == bits(first)


def test_a_lost_owner_ends_the_fit(tmp_path):
    def lost(name, number):
        return (
            Lost("did not answer within 60 seconds")
            if (name, number > 3) == ("oslo", True)
            else None
        )

    federation = there(OpenedAnew(tmp_path, lost=lost))
    with pytest.raises(fedps.TransportError) as caught:
        federation.fit(columns.simple())
    assert caught.value.clients == ("oslo",)
    assert str(caught.value) == (
        "client 'oslo' did not answer within 60 seconds. [round 1] With split='columns' nobody else holds its "
        "columns, so that there is no quorum: the call ends. Run it again when the client is back."
    )


def test_what_a_dead_process_left_is_written_again(tmp_path):
    transport = OpenedAnew(tmp_path)
    folder = FitFolder(transport.settings["oslo"].ledger)
    with folder.lock():
        folder.begin("risk", "half")
    rows = tmp_path / "oslo-rows"
    rows.mkdir()
    (rows / "risk.parquet").write_bytes(b"half")
    there(transport).fit(columns.simple()[0], name="risk")
    assert folder.note("risk").kept
    assert pd.read_parquet(rows / "risk.parquet").shape == (columns.ROWS, 2)


def test_owners_who_may_not_keep(tmp_path):
    transport = OpenedAnew(tmp_path)
    there(transport)
    folder = tmp_path / "oslo-columns.jsonl.fits"
    folder.symlink_to(tmp_path)
    with pytest.raises(fedps.ClientError, match="client 'oslo' could not keep its part of the fit"):
        there(transport).fit(columns.simple()[0])


# Settings that do not fit -------------------------------------------------------------------------


def test_rows_and_columns_do_not_mix(tmp_path):
    transport = OpenedAnew(tmp_path)
    with pytest.raises(fedps.ClientError) as caught:
        fedps.Federation(transport, progress=False).fit(MinMaxScaler())
    assert "hold rows of the same columns. Say split='columns' here" in str(caught.value)
    own = transport.settings["oslo"]
    plain = replace(own, split="rows", key=None, new=None, outputs=None, predictions=None)
    transport.settings["oslo"] = plain
    with pytest.raises(fedps.ClientError) as caught:
        there(transport)
    assert 'sets split = "columns" in the settings there' in str(caught.value)


def test_an_owner_that_names_no_key(tmp_path):
    transport = OpenedAnew(tmp_path)
    own = transport.settings["turku"]
    transport.settings["turku"] = replace(own, key=None)
    with pytest.raises(fedps.Disagreement) as caught:
        there(transport)
    assert str(caught.value) == (
        "client 'turku' names no key, so its rows cannot be compared with the others'. Its owner names the "
        "column in the settings there, key = \"column\"; here it is called 'customer'."
    )


def test_nobody_has_the_target(tmp_path):
    transport = OpenedAnew(tmp_path)
    transport.settings["oslo"] = replace(transport.settings["oslo"], target=None)
    with pytest.raises(fedps.UsageError, match="Its owner names it in the settings there, target"):
        there(transport)


def test_owners_consent(tmp_path):
    transport = OpenedAnew(tmp_path)
    federation = there(transport)
    policy = transport.settings["oslo"].policy
    policy.write_text('preset = "open"\nlevel = "SUMMARY"\n', "utf-8")
    with pytest.raises(fedps.Refused, match="this needs ROWS"):
        federation.fit(columns.showing_rows())

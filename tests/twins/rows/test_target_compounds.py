"""TargetEncoder in pipelines, unions and files: what later steps learn from cross-fitted rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, OrdinalEncoder, StandardScaler, TargetEncoder

import fedps
from tests.rotation import in_turn
from tests.twins.partitions import pool
from tests.twins.targets import (
    by_class,
    empty_and_single,
    federation,
    frame,
    seeded,
    split,
    targets,
    thirds,
    with_target,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore:`TargetEncoder.shuffle`:FutureWarning",
    "ignore:The least populated class:UserWarning",
    "ignore:The number of unique classes:UserWarning",
    "ignore:invalid value:RuntimeWarning",
)


def compounds():
    words = ["word", "gaps"]
    return {
        "before a scaler": make_pipeline(seeded(), StandardScaler()),
        "last": make_pipeline(OrdinalEncoder(), seeded()),
        "in columns before a scaler": make_pipeline(
            make_column_transformer((seeded(), words), remainder="passthrough"), MinMaxScaler()
        ),
        "in columns": make_column_transformer(
            (seeded(), words), (make_pipeline(seeded(smooth=1.0), StandardScaler()), ["whole"])
        ),
        "in a union": make_pipeline(
            make_union(seeded(), make_pipeline(OrdinalEncoder(), seeded(cv=3))), StandardScaler()
        ),
        "twice": make_pipeline(seeded(), seeded(cv=2), StandardScaler()),
        "in processes": make_column_transformer(
            (seeded(), words), (StandardScaler(), ["whole"]), n_jobs=2
        ),
        "frames": make_pipeline(seeded(), StandardScaler()).set_output(transform="pandas"),
        "passthrough last": make_pipeline(seeded(), "passthrough"),
    }


ROUNDS = {"before a scaler": 3, "last": 2, "in columns before a scaler": 3, "in columns": 3}


FITS = product(compounds(), ["text", "three", "numbers"])
UNEVEN = (empty_and_single, by_class)


@pytest.mark.parametrize(("compound", "target", "partition"), in_turn(FITS, UNEVEN))
def test_later_steps_see_cross_fitted_rows(compound, target, partition):
    estimator = compounds()[compound]
    parts = partition(with_target(targets()[target]))
    table = pool(parts)
    X, y = table.drop(columns="y"), table["y"]
    pooled = clone(estimator)
    expected = pooled.fit_transform(X, y)
    ours = federation(parts)
    fitted = ours.fit(estimator)
    if compound in ROUNDS:
        assert ours.run.rounds == ROUNDS[compound]
    np.testing.assert_allclose(
        np.asarray(fitted.transform(X)), np.asarray(pooled.transform(X)), rtol=1e-9, atol=1e-12
    )
    assert_genuine(fitted)
    again, outputs = ours.fit_transform(estimator)
    assert_genuine(again)
    found = [rows for rows in outputs.values() if len(rows)]
    if isinstance(expected, pd.DataFrame):
        assert all(list(rows.columns) == list(expected.columns) for rows in outputs.values())
    np.testing.assert_allclose(
        np.concatenate([np.asarray(rows) for rows in found]),
        np.asarray(expected),
        rtol=1e-9,
        atol=1e-12,
    )


def assert_genuine(estimator):
    """Assert that nothing of fedps is inside."""
    assert type(estimator).__module__.startswith("sklearn.")
    assert not any("fold" in name for name in vars(estimator))
    parts = getattr(estimator, "steps", None) or getattr(estimator, "transformer_list", [])
    inner = [part for _, part in parts]
    inner += [part for _, part, _ in getattr(estimator, "transformers_", [])]
    for part in inner:
        if not isinstance(part, str):
            assert_genuine(part)


def test_a_fit_alone_takes_one_round():
    ours = federation(thirds(with_target(targets()["text"])))
    for estimator in (
        TargetEncoder(),
        make_pipeline(TargetEncoder()),
        make_column_transformer((TargetEncoder(), ["word"])),
    ):
        ours.fit(estimator)
        assert ours.run.rounds == 1
        assert {ask.statistic for ask in ours.run.asks} == {"ByCategory"}
        ours.fit_transform(estimator)
        assert ours.run.rounds == 2


def test_fit_transform_of_others_is_as_it_was():
    ours = federation(thirds(with_target(targets()["text"], frame()[["whole"]])))
    ours.fit_transform(StandardScaler())
    assert ours.run.rounds == 1


# Files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["text", "numbers"])
def test_files_in_chunks(tmp_path, monkeypatch, target):
    monkeypatch.setattr("fedps.client.tables.sources.source_table.CHUNK_ROWS", 7)
    table = with_target(targets()[target], frame()[["word", "whole"]])
    parts = split(table, [50])
    clients = {}
    for i, part in enumerate(parts):
        clients[f"c{i}"] = str(tmp_path / f"{i}.parquet")
        part.reset_index(drop=True).to_parquet(clients[f"c{i}"])
    ours = fedps.Federation(clients, target="y")
    X, y = table.drop(columns="y"), table["y"]
    for estimator in (seeded(), make_pipeline(seeded(), StandardScaler())):
        fitted, outputs = ours.fit_transform(estimator)
        pooled = clone(estimator)
        expected = pooled.fit_transform(X, y)
        found = np.concatenate([np.asarray(rows) for rows in outputs.values()])
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(fitted.transform(X), pooled.transform(X), rtol=1e-9, atol=1e-12)

"""``fedps transform``: a file through a fitted estimator, some rows at a time."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, OneHotEncoder, StandardScaler

import fedps as library
from fedps.client.tables.formula_cells import without_formulas
from fedps.files import save_fitted


@pytest.fixture
def chunks(monkeypatch):
    """Files are read seven rows at a time."""
    monkeypatch.setattr("fedps.client.tables.sources.source_table.CHUNK_ROWS", 7)


def saved(tables, estimator, **options):
    fitted = library.fit(estimator, tables, **options)
    save_fitted(fitted, "prep.skops")
    return fitted


def read(path):
    if path.endswith(("parquet", "pq")):
        return pd.read_parquet(path)
    return csv.read_csv(path).to_pandas()  # to the last digit, which older pandas do not read


SCALER = make_column_transformer((StandardScaler(), ["age", "chol"]))
ENCODER = make_column_transformer(
    (StandardScaler(), ["age"]), (OneHotEncoder(), ["pain"]), sparse_threshold=1.0
)
TEXTS = make_column_transformer(
    (SimpleImputer(), ["age"]), ("passthrough", ["pain", "chol"]), verbose_feature_names_out=False
)


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("out", ["out.parquet", "out.pq", "out.csv", "out.csv.gz"])
@pytest.mark.parametrize("source", ["oslo.parquet", "moss.csv"])
def test_as_in_one_go(fedps, tables, source, out):
    fitted = saved(tables, SCALER)
    result = fedps(f"transform prep.skops {source} {out}")
    assert result.exit_code == 0, result.output
    rows = tables[source.partition(".")[0]]
    assert result.stdout == f"Written: {out} ({len(rows)} rows, 2 columns)\n"
    made = read(out)
    assert list(made) == list(fitted.get_feature_names_out())
    np.testing.assert_array_equal(made.to_numpy(), fitted.transform(rows))


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("out", ["out.parquet", "out.csv"])
def test_sparse_output_is_written_in_pieces(fedps, tables, monkeypatch, out):
    monkeypatch.setattr("fedps.client.tables.output_tables._DENSE_CELLS", 8)
    fitted = saved(tables, ENCODER)
    rows = tables["moss"]
    assert hasattr(fitted.transform(rows), "toarray")
    result = fedps(f"transform prep.skops moss.csv {out}", "--keep", "name")
    assert result.exit_code == 0, result.output
    made = read(out)
    assert list(made) == ["name", *fitted.get_feature_names_out()]
    assert made["name"].tolist() == rows["name"].tolist()
    np.testing.assert_array_equal(
        made.drop(columns="name").to_numpy(float), fitted.transform(rows).toarray()
    )


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("out", ["out.parquet", "out.csv"])
def test_texts_beside_numbers_keep_their_types(fedps, tables, out):
    saved(tables, TEXTS)
    result = fedps(f"transform prep.skops moss.csv {out} --keep sick")
    assert result.exit_code == 0, result.output
    made, rows = read(out), tables["moss"]
    assert list(made) == ["sick", "age", "pain", "chol"]
    assert made["pain"].tolist() == rows["pain"].tolist()
    assert made["chol"].dtype == float


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_frames_as_output(fedps, tables, frames):
    estimator = make_column_transformer((StandardScaler(), ["chol"])).set_output(transform=frames)
    saved(tables, estimator)
    result = fedps("transform prep.skops moss.csv out.parquet")
    assert result.exit_code == 0, result.output
    assert pq.read_schema("out.parquet").names == ["standardscaler__chol"]


@pytest.mark.usefixtures("chunks")
def test_labels(fedps, tables):
    saved(tables, LabelEncoder(), target="pain")
    result = fedps("transform prep.skops moss.csv out.csv --target pain --keep name")
    assert result.exit_code == 0, result.output
    made = read("out.csv")
    assert list(made) == ["name", "pain"]
    assert made["pain"].tolist() == LabelEncoder().fit_transform(tables["moss"]["pain"]).tolist()
    saved(tables, LabelBinarizer(), target="pain")
    assert fedps("transform prep.skops moss.csv out.csv --target pain").exit_code == 0
    assert list(read("out.csv")) == ["pain_atypical", "pain_none", "pain_typical"]


def test_a_target_is_for_labels_only(fedps, tables):
    saved(tables, LabelEncoder(), target="pain")
    assert "--target" in fedps("transform prep.skops moss.csv out.csv").stderr
    saved(tables, SCALER)
    result = fedps("transform prep.skops moss.csv out.csv --target pain")
    assert result.exit_code == 2
    assert "leave --target out" in result.stderr


def test_a_model_has_no_transform(fedps, tables):
    rows = {name: t[["age", "chol"]].fillna(0.0) for name, t in tables.items()}
    saved(rows, BayesianRidge(), target="chol")
    result = fedps("transform prep.skops moss.csv out.csv")
    assert result.exit_code == 2
    assert "it is a model" in result.stderr


def test_new_rows_need_no_columns_that_are_dropped(fedps, folder, tables):
    fitted = saved(tables, SCALER)
    tables["moss"][["chol", "age"]].to_csv("new.csv", index=False)
    result = fedps("transform prep.skops new.csv out.csv")
    assert result.exit_code == 0, result.output
    np.testing.assert_array_equal(read("out.csv"), fitted.transform(tables["moss"]))
    tables["moss"][["chol"]].assign(agee=1).to_csv("new.csv", index=False)
    lost = fedps("transform prep.skops new.csv out.csv")
    assert lost.exit_code == 2
    assert (
        "new.csv has no column 'age', which the transformer needs. Did you mean 'agee'?"
        in lost.stderr
    )


@pytest.mark.parametrize("out", ["out.parquet", "out.csv"])
def test_no_rows_give_no_rows(fedps, folder, tables, out):
    fitted = saved(tables, ENCODER)
    (folder / "new.csv").write_text("age,chol,pain,name,sick\n", "utf-8")
    result = fedps(f"transform prep.skops new.csv {out}")
    assert result.exit_code == 0, result.output
    assert list(read(out)) == list(fitted.get_feature_names_out())
    assert len(read(out)) == 0


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("out", ["out.parquet", "out.csv"])
def test_what_fails_leaves_the_file_as_it_was_and_quotes_no_cell(fedps, folder, tables, out):
    saved(tables, ENCODER)
    (folder / out).write_text("before")
    rows = tables["moss"].copy()
    rows.loc[20, "pain"] = "a pain like J. Smith's"  # not among the categories
    rows.to_csv("new.csv", index=False)
    result = fedps(f"transform prep.skops new.csv {out}")
    assert result.exit_code == 1
    assert "new.csv" in result.stderr
    assert "J. Smith" not in result.output
    assert (folder / out).read_text() == "before"
    rows.astype({"age": object}).assign(age="J. Smith").to_csv("new.csv", index=False)
    result = fedps(f"transform prep.skops new.csv {out}")
    assert "new.csv has cells in column 'age' that are not numbers" in result.stderr
    assert "J. Smith" not in result.output
    assert not [file for file in folder.iterdir() if file.name.startswith(".")]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("nope.skops moss.csv out.csv", "there is no file 'nope.skops'"),
        ("prep.skops nope.csv out.csv", "there is no file 'nope.csv'"),
        ("prep.skops moss.csv out.xlsx", "must end with .parquet"),
        ("prep.skops moss.csv no/out.csv", "there is no folder 'no'"),
        ("prep.skops moss.csv moss.csv", "write to another file"),
        ("prep.skops moss.csv out.csv --keep nam", "Did you mean 'name'?"),
        ("moss.csv moss.csv out.csv", "is not a skops file"),
    ],
)
def test_mistakes(fedps, tables, words, says):
    saved(tables, SCALER)
    result = fedps(f"transform {words}")
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_kept_column_must_not_hide_one_of_the_output(fedps, tables):
    saved(tables, TEXTS)
    result = fedps("transform prep.skops moss.csv out.csv --keep age")
    assert result.exit_code == 2
    assert "--keep 'age'" in result.stderr


@pytest.mark.slow
def test_the_file_need_not_fit_in_memory(folder, tables):
    """A file of 120 MB takes hardly more memory than one of 2 MB."""
    saved(tables, SCALER)
    peaks = {}
    for name, times in (("small", 2), ("large", 120)):
        rows = pa.table(
            {"age": np.arange(65_536.0), "chol": np.random.default_rng(0).normal(size=65_536)}
        )
        with pq.ParquetWriter(f"{name}.parquet", rows.schema, compression="none") as writer:
            for _ in range(times):
                writer.write_table(rows)
        code = (
            "import resource, sys; from fedps.cli import main\n"
            "try: main(sys.argv[1:])\n"
            "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
        )
        words = ["transform", "prep.skops", f"{name}.parquet", f"{name}-out.parquet"]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        peaks[name] = int(done.stdout.split()[-1]) / 1000
    assert (folder / "large.parquet").stat().st_size > 120e6
    assert pq.read_metadata("large-out.parquet").num_rows == 120 * 65_536
    assert peaks["large"] < peaks["small"] + 60


# Texts that a spreadsheet would run ---------------------------------------------------------------

HOSTILE = pd.DataFrame(
    {
        "=name": ["=1+1", "+1", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "fine", None],
        "kind": pd.Categorical(["=a", "b", "=a", "b", "=a", "b", "=a", "b"]),
        "age": [-1.5, 2.0, 3.0, -4.0, 5.0, 6.0, 7.0, 8.0],
        "whole": [-1, 2, 3, 4, 5, 6, 7, 8],
    }
)
SAFE = ["'=1+1", "'+1", "'-2+3+cmd|' /C calc'!A0", "'@SUM(A1)", "'\t=1", "'\r=1", "fine", None]
KEPT = make_column_transformer(
    ("passthrough", ["=name", "kind", "whole"]),
    (StandardScaler(), ["age"]),
    verbose_feature_names_out=False,
)


@pytest.fixture(params=["pandas", "polars"])
def hostile(request, folder):
    """A fitted pipeline that passes texts on, and a file with texts that are formulas."""
    rows = HOSTILE
    if request.param == "polars":
        rows = pytest.importorskip("polars").from_pandas(HOSTILE)
    fitted = library.fit(clone(KEPT).set_output(transform=request.param), [rows])
    save_fitted(fitted, "prep.skops")
    HOSTILE.to_parquet("hostile.parquet", index=False)


@pytest.mark.usefixtures("hostile", "chunks")
@pytest.mark.parametrize("out", ["out.csv", "out.csv.gz"])
def test_no_text_in_csv_is_a_formula(fedps, out):
    result = fedps(f"transform prep.skops hostile.parquet {out}")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[1] == (
        "10 text cells got an apostrophe in front, so that no spreadsheet runs them; --raw-text leaves them "
        "as they are."
    )
    made = pd.read_csv(out, keep_default_na=False, lineterminator="\n")
    assert list(made) == ["'=name", "kind", "whole", "age"]
    assert made["'=name"].tolist() == [text or "" for text in SAFE]
    assert made["kind"].tolist() == ["'=a", "b"] * 4
    assert made["whole"].tolist() == HOSTILE["whole"].tolist()
    assert (made["age"] < 0).sum() == 4


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("options", ["out.parquet", "out.csv --raw-text"])
def test_texts_as_they_are(fedps, options):
    result = fedps(f"transform prep.skops hostile.parquet {options}")
    assert result.exit_code == 0, result.output
    assert "apostrophe" not in result.stdout
    out = options.split()[0]
    made = pd.read_parquet(out) if out.endswith("parquet") else read(out)
    assert list(made) == ["=name", "kind", "whole", "age"]
    assert made["=name"].tolist()[:6] == HOSTILE["=name"].tolist()[:6]


def test_nothing_is_said_where_nothing_was_escaped(fedps, tables):
    saved(tables, SCALER)
    assert "apostrophe" not in fedps("transform prep.skops moss.csv out.csv --keep name").stdout


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["=a", None, "b"], pa.large_string()),
        pa.array([b"=a", None, b"b"], pa.binary()),
        pa.array(["=a", None, "b"]).dictionary_encode(),
        pa.chunked_array([["=a"], [None, "b"]]),
    ],
    ids=str,
)
def test_every_kind_of_text(column):
    safe, escaped = without_formulas(pa.table({"x": column}))
    texts = [text.decode() if isinstance(text, bytes) else text for text in safe["x"].to_pylist()]
    assert (texts, escaped) == (["'=a", None, "b"], 1)


def test_views_of_texts():
    pytest.importorskip("pyarrow", minversion="20")  # earlier ones cannot cast them
    safe, escaped = without_formulas(pa.table({"x": pa.array(["=a", "b"], pa.string_view())}))
    assert (safe["x"].to_pylist(), escaped) == (["'=a", "b"], 1)


def test_column_names_stay_different():
    table = pa.table([[1], [2], [3]], names=["=a", "'=a", "b"])
    assert without_formulas(table)[0].column_names == ["''=a", "'=a", "b"]

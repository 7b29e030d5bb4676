"""CSV files that are not written as most are: as pandas reads them."""

import bz2
import gzip

import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.client import open_table
from fedps.client.tables.files import csv_files

ROWS = "größe;kg;code;flag;seen\n" + "".join(
    f"{j};{j},5;00{j};{'ja' if j % 2 else '?'};\n" for j in range(50)
)


def whole(source, **how):
    parts = [chunk.X for chunk in open_table(source, **how).chunks()]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("packed", ["plain", "gzip", "bz2"])
@pytest.mark.parametrize("block", [1 << 22, 300])
def test_as_pandas_reads_it(tmp_path, monkeypatch, packed, block):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", block)
    data = ROWS.encode("latin-1")
    path = tmp_path / "rows.txt"
    path.write_bytes(
        {"plain": data, "gzip": gzip.compress(data), "bz2": bz2.compress(data)}[packed]
    )
    compression = None if packed == "plain" else packed
    found = whole(
        fedps.CSV(
            path, sep=";", decimal=",", encoding="latin-1", compression=compression,
            na_values=["?", 7], dtypes={"code": "str"},
        )
    )  # fmt: skip
    expected = pd.read_csv(
        path, sep=";", decimal=",", encoding="latin-1", compression=compression, na_values=["?", 7],
        dtype={"code": str},
    )  # fmt: skip
    pd.testing.assert_frame_equal(found, expected)
    assert found["code"][3] == "003"


def test_no_header_and_lines_to_skip(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("made by a machine\n\n1|'a|b'\n2|NA\n")
    found = whole(fedps.CSV(path, sep="|", quote="'", names=["n", "text"], skip_rows=2))
    assert found["n"].tolist() == [1, 2]
    assert found["text"][0] == "a|b"
    kept = whole(
        fedps.CSV(path, sep="|", names=["n", "text"], skip_rows=2, quote="'", keep_default_na=False)
    )
    assert kept["text"].tolist() == ["a|b", "NA"]


def test_new_lines_and_quotes_in_cells(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 300)
    frame = pd.DataFrame({"text": ["a\nb", 'say "hi"', "x,y", "é"] * 50, "n": range(200)})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    pd.testing.assert_frame_equal(whole(tmp_path / "rows.csv"), frame)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"sep": ";;"}, "one letter"),
        ({"sep": ",", "decimal": ","}, "could not be told apart"),
        ({"encoding": "klingon"}, "no encoding that Python knows"),
        ({"compression": "zip"}, "Unpack the file first"),
        ({"skip_rows": -1}, "a number of lines"),
        ({"na_values": "?"}, "a list"),
    ],
)
def test_options_that_cannot_be(how, words):
    with pytest.raises(fedps.UsageError, match=words):
        fedps.CSV("rows.csv", **how)


def test_errors_name_the_line_and_no_cell(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a;b\n1;2\n3;secret;4\n")
    with pytest.raises(fedps.UsageError) as caught:
        open_table(fedps.CSV(path, sep=";"))
    assert str(caught.value).replace(
        "a line has", "line 3 has"
    ) == (  # pyarrow 17 does not tell which
        "rows.csv cannot be read as CSV: line 3 has 3 cells instead of 2. It must be UTF-8 with a header line, "
        "';' between cells, and the same number of cells in every row."
    )
    path.write_bytes("a\ncafé\n".encode("latin-1"))
    with pytest.raises(fedps.UsageError, match="must be UTF-8") as caught:
        open_table(fedps.CSV(path))
    assert caught.value.__context__ is None
    path.write_bytes(b"a\n\xff\xfe\x81\n")
    with pytest.raises(fedps.UsageError, match="must be cp1252"):
        open_table(fedps.CSV(path, encoding="cp1252"))


def test_files_that_differ_in_how_they_are_written(tmp_path):
    (tmp_path / "oslo.csv").write_text("x;y\n1,5;2\n2,5;3\n")
    (tmp_path / "bergen.csv").write_text("x,y\n3.5,2\n4.5,3\n")
    clients = {
        "oslo": fedps.CSV(tmp_path / "oslo.csv", sep=";", decimal=","),
        "bergen": tmp_path / "bergen.csv",
    }
    assert fedps.fit(StandardScaler(), clients).mean_.tolist() == [3.0, 2.5]

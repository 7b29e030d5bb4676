"""CSV: text files that are not written as most are, and how pyarrow is told."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv

from fedps.errors import UsageError

# What pandas.read_csv takes as missing: a file must mean the same as the frame read from it.
MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
_COMPRESSIONS = ("gzip", "bz2", "zstd", "lz4", "brotli")


@dataclass(frozen=True)
class CSV:
    r"""A client's table in CSV files, with what pyarrow has to know to read them.

    Parameters
    ----------
    path : str or Path
        A file, a folder or a glob.
    sep : str, default=","
        What stands between cells, such as ``";"``, or ``"\t"`` for a tab.
    decimal : str, default="."
        What stands before the decimals of a number, such as ``","``.
    encoding : str, default="utf-8"
        How letters are written, such as ``"latin-1"``.
    compression : {"gzip", "bz2", "zstd", "lz4", "brotli"}, default=None
        How the files are compressed. Default: as the end of their name says.
    names : sequence of str, default=None
        The names of the columns, of files without a header line. Default: the first line has them.
    skip_rows : int, default=0
        How many lines to leave out before the header, or before the first row.
    quote : str, default='"'
        What stands around cells that have a separator in them.
    na_values : sequence of str or number, default=()
        What else means a missing cell, as it is written in the file, such as ``["-200", "?"]``.
    keep_default_na : bool, default=True
        Whether what pandas takes as missing is missing: an empty cell, ``NA``, ``NaN``, ``null`` and so on.
    dtypes : dict of str to str, default=None
        What some columns are read as, such as ``{"zip": "str"}``, which keeps leading zeros.

    Examples
    --------
    >>> import fedps
    >>> from sklearn.preprocessing import StandardScaler
    >>> path = getfixture("tmp_path") / "oslo.csv"
    >>> _ = path.write_text("age;kg\n61;70,5\n?;81,0\n", "latin-1")
    >>> oslo = fedps.CSV(path, sep=";", decimal=",", encoding="latin-1", na_values=["?"])
    >>> bergen = fedps.CSV(path, sep=";", decimal=",", na_values=["?"])
    >>> fedps.fit(StandardScaler(), {"oslo": oslo, "bergen": bergen}).mean_
    array([61.  , 75.75])
    """

    path: str | Path
    sep: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    compression: str | None = None
    names: Sequence[str] | None = None
    skip_rows: int = 0
    quote: str = '"'
    na_values: Sequence[str | float] = ()
    keep_default_na: bool = True
    dtypes: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        for name in ("sep", "decimal", "quote"):
            letter = getattr(self, name)
            if not isinstance(letter, str) or len(letter) != 1:
                raise UsageError(f"CSV({name}=): one letter, such as ';'; got {letter!r}.")
        if self.sep == self.decimal:
            raise UsageError(
                f"CSV(sep=, decimal=): both are {self.sep!r}, and cells could not be told apart."
            )
        try:
            codecs.lookup(self.encoding)
        except (LookupError, TypeError):
            raise UsageError(
                f"CSV(encoding=): {self.encoding!r} is no encoding that Python knows."
            ) from None
        if self.compression is not None and self.compression not in _COMPRESSIONS:
            known = ", ".join(map(repr, _COMPRESSIONS))
            raise UsageError(
                f"CSV(compression=): {self.compression!r} is none of {known}. Unpack the file first."
            )
        if type(self.skip_rows) is not int or self.skip_rows < 0:
            raise UsageError(f"CSV(skip_rows=): a number of lines; got {self.skip_rows!r}.")
        for name in ("names", "na_values"):
            given = getattr(self, name)
            if given is None or (isinstance(given, Sequence) and not isinstance(given, str)):
                continue
            raise UsageError(f"CSV({name}=): a list; got {given!r}.")


def open_csv(how: CSV, path: Path, types: Mapping[str, Any], block_bytes: int) -> Any:
    """Return pyarrow's reader of one of the files, with the types of its columns."""
    read = csv.ReadOptions(
        block_size=block_bytes,
        column_names=None if how.names is None else list(map(str, how.names)),
        skip_rows=how.skip_rows,
        encoding=how.encoding,
    )
    convert = csv.ConvertOptions(
        column_types=dict(types),
        null_values=missing_texts(how),
        strings_can_be_null=True,
        decimal_point=how.decimal,
    )
    parse = csv.ParseOptions(delimiter=how.sep, quote_char=how.quote, newlines_in_values=True)
    source = pa.input_stream(str(path), compression=how.compression or "detect")
    return csv.open_csv(source, read_options=read, parse_options=parse, convert_options=convert)


def missing_texts(how: CSV) -> list[str]:
    """Return all texts that mean a missing cell."""
    own = [text for value in how.na_values for text in _written(value)]
    return list(dict.fromkeys([*(MISSING if how.keep_default_na else ("",)), *own]))


def must_be(how: CSV) -> str:
    """Return in words what files must be like to be read so."""
    first = "a header line" if how.names is None else f"{len(how.names)} columns"
    cells = "commas" if how.sep == "," else f"{how.sep!r} between cells"
    return f"{_encoding(how.encoding)} with {first}, {cells}, and the same number of cells in every row"


def _encoding(name: str) -> str:
    return "UTF-8" if codecs.lookup(name).name == "utf-8" else name


def _written(value: str | float) -> list[str]:
    """Return how a value may be written in a file.

    >>> _written(-200), _written("?")
    (['-200', '-200.0'], ['?'])
    """
    if isinstance(value, str):
        return [value]
    whole = float(value).is_integer()
    return [str(int(value)), str(float(value))] if whole else [str(value)]

"""The data sets of budgets and benchmarks: found in a folder, or downloaded, checked and kept."""

import gzip
import hashlib
import io
import zipfile

import pytest

from benchmarks import downloads
from benchmarks.downloads import DataMissing, Source, text_of

TEXT = b"39, State-gov\n50, Private\n"


def zipped(name, content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """An archive in a folder, with one data set that is nowhere else yet."""
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "nested.zip").write_bytes(
        zipped("inner.zip", zipped("people.data.gz", gzip.compress(TEXT)))
    )
    source = Source("nested.zip", ("inner.zip", "people.data.gz"), hashlib.sha256(TEXT).hexdigest())
    monkeypatch.setattr(downloads, "ARCHIVE", folder.as_uri())
    monkeypatch.setitem(downloads.FILES, "people.data", source)
    monkeypatch.setenv("FEDPS_DATA", str(tmp_path / "given"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def test_a_download_is_unpacked_and_kept(archive):
    assert text_of("people.data") == TEXT
    (archive / "nested.zip").unlink()
    assert text_of("people.data") == TEXT


def test_a_given_file_comes_first(archive, tmp_path):
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "people.data").write_bytes(TEXT)
    (archive / "nested.zip").unlink()
    assert text_of("people.data") == TEXT


def test_nothing_is_downloaded_unless_wanted(archive):
    with pytest.raises(DataMissing, match="Set FEDPS_DATA"):
        text_of("people.data", download=False)


def test_another_file_is_refused(archive):
    (archive / "nested.zip").write_bytes(zipped("inner.zip", zipped("people.data.gz", b"\x1f")))
    with pytest.raises(DataMissing, match="cannot be read"):
        text_of("people.data")
    other = zipped("people.data.gz", gzip.compress(b"other"))
    (archive / "nested.zip").write_bytes(zipped("inner.zip", other))
    with pytest.raises(DataMissing, match="not the published file"):
        text_of("people.data")


def test_offline_says_what_to_do(archive):
    (archive / "nested.zip").unlink()
    with pytest.raises(DataMissing, match="set FEDPS_DATA to that folder"):
        text_of("people.data")

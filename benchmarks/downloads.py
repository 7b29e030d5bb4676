"""Files of the UCI Machine Learning Repository: found in a folder, or downloaded once and checked."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ARCHIVE = "https://archive.ics.uci.edu/static/public"


class DataMissing(Exception):  # noqa: N818 - named for what is wrong
    """A data file is neither in a folder here nor to be had from the archive."""


class Source(NamedTuple):
    """Where the archive keeps a file, and the sha256 of its uncompressed bytes."""

    archive: str
    inside: tuple[str, ...]
    sha256: str


FILES = {
    "adult.data": Source(
        "2/adult.zip",
        ("adult.data",),
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    "bank-full.csv": Source(
        "222/bank+marketing.zip",
        ("bank.zip", "bank-full.csv"),
        "d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
    ),
    "covtype.data": Source(
        "31/covertype.zip",
        ("covtype.data.gz",),
        "0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",
    ),
    "heart-disease/processed.cleveland.data": Source(
        "45/heart+disease.zip",
        ("processed.cleveland.data",),
        "a74b7efa387bc9d108d7d0115d831fe9b414b29ae7124f331b622b4efa0427c8",
    ),
    "heart-disease/processed.hungarian.data": Source(
        "45/heart+disease.zip",
        ("processed.hungarian.data",),
        "d1ad108f785768cd3d7e82dc522e6f5a61eea93cccfb3a46ee8076f73fc3d796",
    ),
    "heart-disease/processed.switzerland.data": Source(
        "45/heart+disease.zip",
        ("processed.switzerland.data",),
        "834a405ccf5b66ab4056bb77794adc8df0b7125186454c0a1d002d33c6c3b314",
    ),
    "heart-disease/processed.va.data": Source(
        "45/heart+disease.zip",
        ("processed.va.data",),
        "e7c93d8d0d2acdadfa4c5e8de768e2191e7f618b952e29623f1f0d5949ff6b8f",
    ),
}


def given_folder() -> Path:
    """Return the folder of data files that are already here: ``FEDPS_DATA``."""
    return ROOT / os.environ.get("FEDPS_DATA", "../shared/data")


def cache_folder() -> Path:
    """Return the folder that downloads go to."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "fedps"


def text_of(name: str, *, download: bool = True) -> bytes:
    """Return the uncompressed bytes of a file; DataMissing where it cannot be had."""
    for folder in (given_folder(), cache_folder()):
        if (folder / name).is_file():
            return checked((folder / name).read_bytes(), name)
        if (folder / f"{name}.gz").is_file():
            return checked(gzip.decompress((folder / f"{name}.gz").read_bytes()), name)
    if not download:
        raise DataMissing(
            f"{name} is not in {given_folder()}. Set FEDPS_DATA to the folder that has it."
        )
    text = checked(_fetch(FILES[name], name), name)
    _keep(cache_folder() / f"{name}.gz", text)
    return text


def checked(text: bytes, name: str) -> bytes:
    """Return the bytes if they are the published file's."""
    found = hashlib.sha256(text).hexdigest()
    if found != FILES[name].sha256:
        raise DataMissing(f"{name} is not the published file: its sha256 is {found}.")
    return text


def _fetch(source: Source, name: str) -> bytes:
    """Return a file of the archive, taken out of whatever it is packed in."""
    url = f"{ARCHIVE}/{source.archive}"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - ARCHIVE is https
            packed = answer.read()
        for member in source.inside:
            packed = zipfile.ZipFile(io.BytesIO(packed)).read(member)
        return gzip.decompress(packed) if source.inside[-1].endswith(".gz") else packed
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise DataMissing(
            f"{name} is not in {given_folder()}, and {url} cannot be read ({error}). Download it, "
            "unpack it into a folder, and set FEDPS_DATA to that folder."
        ) from None


def _keep(path: Path, text: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(gzip.compress(text, mtime=0))
    part.replace(path)

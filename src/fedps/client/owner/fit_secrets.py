"""FitSecrets: what a client alone knows in a fit: random bytes, and what it notes on the way."""

from __future__ import annotations

from hashlib import blake2b
from os import urandom
from pathlib import Path

from fedps.client.file_lock import file_lock
from fedps.client.own_files import make_own_folder, read_own, write_own

LENGTH = 32  # bytes
_MOST = 64  # fits at once: of others, which were given up, the oldest secrets are removed
_LARGEST = 2**34  # bytes of a note
_SECRET, _LOCK = "secret", ".lock"


class FitSecrets:
    """The secrets of the fits that are under way.

    Parameters
    ----------
    folder : path, optional
        Where they are kept if each message has a process of its own. Default: in memory.

    Examples
    --------
    >>> secrets = FitSecrets()
    >>> secrets.of("risk") == secrets.of("risk"), secrets.of("risk") == secrets.of("other")
    (True, False)
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[tuple[str, str], bytes] = {}

    def of(self, fit: str) -> bytes:
        """Return the secret of a fit, made when it is first asked for."""
        found = self.noted(fit, _SECRET)
        if found is None:
            self._make_room()
            found = urandom(LENGTH)
            self.note(fit, _SECRET, found)
        return found

    def note(self, fit: str, name: str, data: bytes) -> None:
        """Note something under a name, until the fit is over."""
        self._known[fit, name] = data
        if self._folder is not None:
            make_own_folder(self._folder)
            with file_lock(self._folder / _LOCK):
                write_own(self._path(fit, name), data)

    def noted(self, fit: str, name: str) -> bytes | None:
        """Return what was noted; None if nothing was."""
        if (fit, name) not in self._known and self._folder is not None:
            path = self._path(fit, name)
            if path.exists():
                self._known[fit, name] = read_own(path, _LARGEST)
        return self._known.get((fit, name))

    def forget(self, fit: str) -> None:
        """Remove the secret of a fit that is over, and what was noted."""
        self._known = {key: data for key, data in self._known.items() if key[0] != fit}
        if self._folder is not None:
            self._remove(_file_name(fit))

    def _make_room(self) -> None:
        """Remove the oldest of too many fits that were never over."""
        if self._folder is None:
            while len(fits := list(dict.fromkeys(fit for fit, _ in self._known))) >= _MOST:
                self.forget(fits[0])
        elif self._folder.exists():
            kept = sorted(self._folder.glob(f"*.{_SECRET}"), key=lambda p: p.stat().st_mtime_ns)
            for path in kept[: max(0, len(kept) - _MOST + 1)]:
                self._remove(path.stem)

    def _remove(self, stem: str) -> None:
        assert self._folder is not None
        for path in self._folder.glob(f"{stem}.*"):
            path.unlink(missing_ok=True)

    def _path(self, fit: str, name: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{_file_name(fit)}.{name}"


def _file_name(fit: str) -> str:
    """Return what files of a fit are called. Its name is a server's, and never part of a path."""
    return blake2b(fit.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

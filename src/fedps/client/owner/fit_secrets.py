"""FitSecrets: random bytes of a client's own for each fit, which no message ever holds."""

from __future__ import annotations

from hashlib import blake2b
from os import urandom
from pathlib import Path

from fedps.client.file_lock import file_lock
from fedps.client.own_files import make_own_folder, read_own, write_own

LENGTH = 32  # bytes
_MOST = 64  # fits at once: of others, which were given up, the oldest secrets are removed
_ENDING, _LOCK = ".secret", ".lock"


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
        self._known: dict[str, bytes] = {}

    def of(self, fit: str) -> bytes:
        """Return the secret of a fit, made when it is first asked for."""
        if fit not in self._known:
            self._known[fit] = urandom(LENGTH) if self._folder is None else self._kept(fit)
        return self._known[fit]

    def forget(self, fit: str) -> None:
        """Remove the secret of a fit that is over."""
        self._known.pop(fit, None)
        if self._folder is not None:
            self._path(fit).unlink(missing_ok=True)

    def _kept(self, fit: str) -> bytes:
        assert self._folder is not None
        make_own_folder(self._folder)
        with file_lock(self._folder / _LOCK):
            path = self._path(fit)
            if not path.exists():
                self._make_room()
                write_own(path, urandom(LENGTH))
            return read_own(path, LENGTH)

    def _make_room(self) -> None:
        assert self._folder is not None
        files = sorted(self._folder.glob(f"*{_ENDING}"), key=lambda path: path.stat().st_mtime_ns)
        for path in files[: 1 - _MOST]:
            path.unlink(missing_ok=True)

    def _path(self, fit: str) -> Path:
        """Return the file of a fit. The name is a server's, and no part of a path."""
        assert self._folder is not None
        name = blake2b(fit.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._folder / f"{name}{_ENDING}"

"""SodiumMasking: keys of a client for one fit, and a cipher, by libsodium (PyNaCl)."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from fedps.statistics import BadCells

_KEY, _NONCE = 32, 24  # bytes
_TAG = 16  # bytes of Poly1305, which are cut off: a stream needs no proof of who made it


class SodiumMasking:
    """A client's keys in one fit.

    Parameters
    ----------
    secret : bytes
        What only this client knows, in this fit.
    salt : bytes, default=b""
        What the owners agreed on out of band: without it, a server that puts keys of its own in the place
        of clients' can read along. Clients with different salts cannot open each other's boxes.
    """

    def __init__(self, secret: bytes, salt: bytes = b"") -> None:
        self._sodium = _sodium()
        own = blake2b(key=secret, digest_size=_KEY, person=b"fedps mask key").digest()
        self._private = own
        self._salt = blake2b(salt, digest_size=_KEY, person=b"fedps mask salt").digest()
        self.public: bytes = self._sodium.bindings.crypto_scalarmult_base(own)

    def shared(self, peer: bytes) -> bytes:
        """Return what only this client and the one with a public key know; refuse keys of small order."""
        return self._key(peer, *sorted((self.public, peer)))

    def seal(self, peer: bytes, text: bytes) -> bytes:
        """Return a text that only the client with a public key can read, and knows to be from this one."""
        key = self._key(peer, b"box", self.public)
        # the same text has the same box, however often it is asked for, and another text another nonce
        nonce = blake2b(text, key=key, digest_size=_NONCE).digest()
        return bytes(self._sodium.secret.SecretBox(key).encrypt(text, nonce))

    def open(self, peer: bytes, box: bytes) -> bytes:
        """Return the text that the client with a public key sealed for this one."""
        try:
            text: bytes = self._sodium.secret.SecretBox(self._key(peer, b"box", peer)).decrypt(box)
        except (self._sodium.exceptions.CryptoError, ValueError):
            raise BadCells("keys") from None
        return text

    def stream(self, seed: bytes, number: int, size: int) -> bytes:
        """Return so many bytes of ChaCha20, the same for the same seed and number."""
        cipher = self._sodium.bindings.crypto_aead_chacha20poly1305_ietf_encrypt
        found: bytes = cipher(bytes(size), None, number.to_bytes(12, "little"), seed)
        return found[:-_TAG]

    def _key(self, peer: bytes, *use: bytes) -> bytes:
        """Return a key of this client and another, for one use."""
        try:
            point = self._sodium.bindings.crypto_scalarmult(self._private, peer)
        except (self._sodium.exceptions.CryptoError, TypeError, ValueError):
            raise BadCells("keys") from None
        return blake2b(b"".join([point, *use]), key=self._salt, digest_size=_KEY).digest()


def _sodium() -> Any:
    """Return PyNaCl, which is an extra."""
    try:
        import nacl.bindings
        import nacl.exceptions
        import nacl.secret
    except ImportError:
        raise BadCells("no sodium") from None
    return nacl

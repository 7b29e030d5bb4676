"""Checking a server's certificate before the server starts with it."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from fedps.errors import UsageError

_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here


def check_certificate(path: Path, key: Path, authority: Path, host: str) -> None:
    """Refuse a certificate with which a server at a host would start, but no fit could run.

    Flower runs fits in processes next to the server, which check its certificate like everyone else.
    They reach it by ``host``, or by the loopback address if it listens at all addresses.
    """
    certificate, *chain = _read(path)
    if certificate.not_valid_after_utc < datetime.now(UTC):
        raise UsageError(
            f"{str(path)!r} was valid until {certificate.not_valid_after_utc:%Y-%m-%d}."
        )
    reached = _LOOPBACK.get(host, host)
    names = _names(certificate)
    if not any(_is_for(name, reached) for name in names):
        shown = ", ".join(names) or "no name at all (subjectAltName)"
        raise UsageError(
            f"{str(path)!r} is valid for {shown}, and not for {reached}, by which the server's own "
            "processes reach it. Have it signed for that too, or set --host to a name that it is valid for."
        )
    _check_key(path, key)
    if not any(_is_by(one, root) for one in (certificate, *chain) for root in _read(authority)):
        raise UsageError(f"{str(path)!r} was not signed by {str(authority)!r}.")


def check_authority(path: Path) -> None:
    """Refuse a file without certificates."""
    _read(path)


def _read(path: Path) -> list[x509.Certificate]:
    try:
        return list(x509.load_pem_x509_certificates(path.read_bytes()))
    except ValueError:
        raise UsageError(f"{str(path)!r} is not a certificate in PEM format.") from None


def _check_key(path: Path, key: Path) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path, key, password="")
    except ssl.SSLError:
        raise UsageError(
            f"{str(key)!r} is not the key of {str(path)!r}, or it has a passphrase."
        ) from None


def _is_by(certificate: x509.Certificate, root: x509.Certificate) -> bool:
    """Whether a certificate was signed with the key of another, or is the same."""
    try:
        certificate.verify_directly_issued_by(root)
    except (ValueError, TypeError, InvalidSignature):
        return bool(certificate == root)
    return True


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    addresses = [str(address) for address in found.get_values_for_type(x509.IPAddress)]
    return [*found.get_values_for_type(x509.DNSName), *addresses]


def _is_for(name: str, host: str) -> bool:
    """Whether a name in a certificate matches a host.

    >>> _is_for("*.example.org", "server.example.org"), _is_for("localhost", "127.0.0.1")
    (True, False)
    """
    try:
        return ip_address(name) == ip_address(host)
    except ValueError:
        first, _, rest = host.lower().partition(".")
        return name.lower() in (host.lower(), f"*.{rest}" if first and rest else "")

"""Looking at a server's certificate before the server starts with it."""

from __future__ import annotations

from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509

from fedps.errors import UsageError

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here


def check_certificate(path: Path, host: str) -> None:
    """Refuse a certificate with which a server at a host would start, and then fit nothing.

    Flower starts fits in processes beside the server, which check its certificate like anyone else.
    They reach it by ``host``, or by this machine's own address if it listens at all.
    """
    try:
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
    except ValueError:
        raise UsageError(f"{str(path)!r} is not a certificate in PEM form.") from None
    if certificate.not_valid_after_utc < datetime.now(UTC):
        raise UsageError(
            f"{str(path)!r} was valid until {certificate.not_valid_after_utc:%Y-%m-%d}."
        )
    reached = EVERYWHERE.get(host, host)
    names = _names(certificate)
    if not any(_is_for(name, reached) for name in names):
        shown = ", ".join(names) or "no name at all (subjectAltName)"
        raise UsageError(
            f"{str(path)!r} is valid for {shown}, and not for {reached}, by which the server's own "
            "processes reach it. Have it signed for that too, or give --host a name that it is for."
        )


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    addresses = [str(address) for address in found.get_values_for_type(x509.IPAddress)]
    return [*found.get_values_for_type(x509.DNSName), *addresses]


def _is_for(name: str, host: str) -> bool:
    """Whether a name of a certificate is that of a host.

    >>> _is_for("*.example.org", "server.example.org"), _is_for("localhost", "127.0.0.1")
    (True, False)
    """
    try:
        return ip_address(name) == ip_address(host)
    except ValueError:
        first, _, rest = host.lower().partition(".")
        return name.lower() in (host.lower(), f"*.{rest}" if first and rest else "")

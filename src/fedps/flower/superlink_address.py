"""Checking the address of a SuperLink, and why it cannot be reached: Flower does not say."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

from fedps.errors import UsageError
from fedps.flower.certificates import check_authority

_SECONDS_TO_CONNECT = 5.0


def host_and_port(superlink: str) -> tuple[str, int]:
    """Return the host and the port of an address.

    >>> host_and_port("localhost:8000"), host_and_port("[::1]:8000")
    (('localhost', 8000), ('::1', 8000))
    """
    host, _, port = superlink.rpartition(":")
    if not host or "/" in host or not (port.isascii() and port.isdigit()):
        raise UsageError(
            f"--superlink must be HOST:PORT, such as localhost:8000; got {superlink!r}."
        )
    return host.strip("[]"), int(port)


def why_unreachable(superlink: str, authority: Path | None, *, insecure: bool) -> str | None:
    """Return why a SuperLink cannot be reached and what to do, or None if it can.

    Parameters
    ----------
    superlink : str
        Its address, HOST:PORT.
    authority : path or None
        The certificates to trust. None: those that this machine trusts.
    insecure : bool
        Whether it is reached without TLS.
    """
    host, port = host_and_port(superlink)
    try:
        with socket.create_connection((host, port), _SECONDS_TO_CONNECT) as plain:
            if not insecure:
                context = ssl.create_default_context(cafile=authority)
                context.wrap_socket(plain, server_hostname=host).close()
    except ssl.SSLCertVerificationError as error:
        reason = error.verify_message.rstrip(".")
        if authority is None:
            return (
                f"this machine does not trust the certificate of the server at {superlink} ({reason}). "
                "Give --root-certificates."
            )
        return (
            f"the certificate of the server at {superlink} does not match {str(authority)!r} ({reason}). "
            "Compare --superlink and --root-certificates with it."
        )
    except ssl.SSLError:
        return f"what answers at {superlink} does not speak TLS. Was it started with --insecure?"
    except OSError as error:
        return (
            f"nothing answers at {superlink} ({error.strerror or error}). Start 'fedps flower "
            "server', or correct --superlink."
        )
    return None


def check_superlink(superlink: str, authority: Path | None) -> None:
    """Refuse an address that is not HOST:PORT, or a file without certificates."""
    host_and_port(superlink)
    if authority is not None:
        check_authority(authority)


def check_unused(host: str, port: int) -> None:
    """Refuse an address at which a server cannot listen."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
        try:
            probe.bind((host, port))
        except OSError as error:
            raise UsageError(
                f"a server cannot listen at {host}:{port} ({error.strerror or error}). Is one running "
                "there already? Otherwise, choose another --port or --host."
            ) from None

"""A Flower deployment on loopback: a SuperLink and SuperNodes, with TLS and node keys."""

import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from uuid import uuid4

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import fedps
from tests.conformance.processes import MARK, PATIENCE, end, free_port, marked, wait_for

PROGRAMS = Path(sys.executable).parent
QUIET = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1"}  # for flwr itself
FEDPS = (sys.executable, "-m", "fedps.cli", "flower")
PACKAGES = (Path(__file__).parents[2], Path(fedps.__file__).parents[1])  # tests, and fedps


def make_certificates(folder):
    """Write ca.crt, server.pem and server.key, for localhost."""
    authority = ec.generate_private_key(ec.SECP384R1())
    server = ec.generate_private_key(ec.SECP384R1())
    issuer = _named("FedPS test CA")
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    root = _certificate(issuer, issuer, authority.public_key())
    root = root.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    leaf = _certificate(_named("localhost"), issuer, server.public_key())
    leaf = leaf.add_extension(x509.SubjectAlternativeName(names), critical=False)
    for name, certificate in (("ca.crt", root), ("server.pem", leaf)):
        signed = certificate.sign(authority, hashes.SHA384())
        (folder / name).write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / "server.key").write_bytes(_private(server, serialization.PrivateFormat.PKCS8))


def make_key(path):
    """Write a node's key, and beside it its public half."""
    key = ec.generate_private_key(ec.SECP384R1())
    path.write_bytes(_private(key, serialization.PrivateFormat.OpenSSH))
    public = key.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    path.with_suffix(".pub").write_bytes(public)
    return path


def _named(name):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _certificate(subject, issuer, key):
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(issuer, subject, key, x509.random_serial_number())
    return builder.not_valid_before(now - timedelta(days=1)).not_valid_after(
        now + timedelta(days=2)
    )


def _private(key, form):
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


class Deployment:
    """A SuperLink, and SuperNodes by name."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.mark = f"{uuid4().hex}."
        self._children = []
        make_certificates(folder)
        self._home("cli").joinpath("config.toml").write_text(
            f'[superlink.dep]\naddress = "127.0.0.1:{self.port}"\n'
            f'root-certificates = "{folder / "ca.crt"}"\n'
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.mark)
        for child in self._children:
            child.wait()

    def environment(self, who):
        """Return the environment of a process; ``who`` has a home and a mark of its own."""
        own = {"FLWR_HOME": str(self._home(who)), MARK: self.mark + who}
        known = os.pathsep.join(map(str, PACKAGES))
        path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
        return {
            **os.environ,
            "PATH": path,
            "PYTHONPATH": known,
            "PYTHONUNBUFFERED": "1",
            **QUIET,
            **own,
        }

    def log(self, who):
        """Return what a process has written."""
        return (self.folder / f"{who}.log").read_text(errors="replace")

    def start(self, who, *command):
        """Start a process; its output goes to a log."""
        with (self.folder / f"{who}.log").open("ab") as log:
            child = subprocess.Popen(
                command,
                env=self.environment(who),
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
            )
        self._children.append(child)
        return child

    @property
    def trust(self):
        """Where the SuperLink is, and whom to trust, as options of ``fedps flower``."""
        return ("--superlink", f"localhost:{self.port}", "--root-certificates", "ca.crt")

    def fedps(self, *words):
        """Run ``fedps flower``, and return its exit code."""
        return self.start("fedps", *FEDPS, *words).wait(PATIENCE)

    def start_superlink(self):
        self._await_superlink(
            *FEDPS, "server", "--port", str(self.port), "--root-certificates", "ca.crt",
            "--certificate", "server.pem", "--key", "server.key",
        )  # fmt: skip

    def start_simulation(self):
        """Start a SuperLink that simulates its nodes, and have ``flwr`` know it."""
        self._home("cli").joinpath("config.toml").write_text(
            f'[superlink.dep]\naddress = "127.0.0.1:{self.port}"\ninsecure = true\n'
        )
        self._await_superlink(
            str(PROGRAMS / "flower-superlink"), "--simulation", "--insecure", "--port",
            str(self.port), "--disable-runtime-dependency-installation",
        )  # fmt: skip

    def _await_superlink(self, *command):
        started = self.start("superlink", *command)
        wait_for(lambda: started.poll() is not None or self._is_open(), "the SuperLink's port")
        assert started.poll() is None, self.log("superlink")

    def start_client(self, name, *, data, policy, ledger, key):
        """Start a SuperNode; without a key it comes in plain text."""
        where = ("--superlink", f"localhost:{self.port}", "--insecure")
        secure = where if key is None else (*self.trust, "--key", str(key))
        port = str(free_port())  # for the node's own use
        return self.start(
            name, *FEDPS, "client", "--name", name, "--data", str(data), "--policy", str(policy),
            "--ledger", str(ledger), "--port", port, *secure,
        )  # fmt: skip

    def register(self, names):
        """Make and register a key for each name."""
        keys = [make_key(self.folder / f"{name}.key") for name in names]
        public = [str(key.with_suffix(".pub")) for key in keys]
        assert self.fedps("register", *public, *self.trust) == 0, self.log("fedps")

    def run(self, app, *options, **config):
        """Submit an app, and return when it has begun, or with ``--stream`` ended."""
        given = " ".join(
            f'{k}="{v}"' if isinstance(v, str | Path) else f"{k}={v}" for k, v in config.items()
        )
        flwr = str(PROGRAMS / "flwr")
        submitted = self.start("cli", flwr, "run", str(app), "dep", "--run-config", given, *options)
        assert submitted.wait(PATIENCE) == 0, self.log("cli")

    def kill(self, who):
        """SIGKILL a process and all that it started."""
        end(self.mark + who)

    def processes(self, who, program):
        """Return the pids of those of a process's children that run a program."""
        return [pid for pid in marked(self.mark + who) if program in _command(pid)]

    def _home(self, who):
        home = self.folder / "homes" / who
        home.mkdir(parents=True, exist_ok=True)
        return home

    def _is_open(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""

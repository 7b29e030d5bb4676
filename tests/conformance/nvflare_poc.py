"""An NVFLARE federation on loopback: a server and sites from provisioned kits, with mTLS."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

from fedps.nvflare.job_folder import make_job
from tests.conformance.nvflare_held import HOLDS
from tests.conformance.processes import MARK, PATIENCE, end, free_port, marked, wait_for

WAIT = ("--wait", str(PATIENCE))  # for the sites to connect
IMPATIENT = {"NVFLARE_CLIENT_OUTCOME_WAIT_TIMEOUT": "3"}  # a server, for a site that is gone
PROGRAMS = Path(sys.executable).parent
LEAD = "lead@hospitals.org"
ROOT = Path(__file__).parents[2]

PROJECT = """\
api_version: 3
name: hospitals
participants:
  - {{name: localhost, type: server, org: study, fed_learn_port: {port}, admin_port: {port}}}
{sites}
  - {{name: {lead}, type: admin, org: study, role: lead}}
builders:
  - path: nvflare.lighter.impl.workspace.WorkspaceBuilder
  - path: nvflare.lighter.impl.static_file.StaticFileBuilder
    args: {{config_folder: config, scheme: tcp}}
  - path: nvflare.lighter.impl.cert.CertBuilder
  - path: nvflare.lighter.impl.signature.SignatureBuilder
"""


def provision(folder, sites, port=None):
    """Make startup kits, and return the folder that they are in."""
    lines = "\n".join(f"  - {{name: {site}, type: client, org: {site}}}" for site in sites)
    project = folder / "project.yml"
    project.write_text(PROJECT.format(port=port or free_port(), sites=lines, lead=LEAD))
    command = [PROGRAMS / "nvflare", "provision", "-p", project, "-w", folder / "kits"]
    made = subprocess.run(
        command, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return folder / "kits" / "hospitals" / "prod_00"


def environment(folder, **more):
    # NVFLARE keeps a file in the home folder
    home = {"HOME": str(folder), "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    return {**os.environ, **home, **more}


class Deployment:
    """A server and its sites. Every process carries a mark, by which all are found and ended."""

    def __init__(self, folder, sites):
        self.folder = folder
        self.port = free_port()
        self.mark = uuid4().hex
        self.kits = provision(folder, sites, self.port)
        self.children = {}
        self.enough = 12.0  # seconds for a round that a site will not answer; a test measures it
        self.holds = folder / "holds"
        self.holds.mkdir()
        self._keep_storage_here()
        for name in ("localhost", *sites):
            self._allow_tests(name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.mark)
        for child in self.children.values():
            child.wait(PATIENCE)

    def start_server(self):
        """Start the server, and wait until it listens."""
        self.start("localhost")
        wait_for(self._is_open, "the server's port")

    def start(self, name, *options, kits=None):
        """Start the server, or a site with what it needs; maybe from other kits."""
        kind = "server" if name == "localhost" else "client"
        variables = {MARK: f"{self.mark}/{name}", HOLDS: str(self.holds), **IMPATIENT}
        with (self.folder / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(
                self._fedps("nvflare", kind, (kits or self.kits) / name, *options),
                env=environment(self.folder, **variables),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def begin(self, job, *options):
        """Begin to run a job; return the process."""
        return subprocess.Popen(
            self._run(job, *options),
            env=environment(self.folder, **{MARK: f"{self.mark}/command"}),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, job, *options):
        """Run a job to its end; return the exit code and what was said."""
        process = self.begin(job, *options)
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        return process.returncode, said

    def _run(self, job, *options):
        return self._fedps("nvflare", "run", job, "--admin", self.kits / LEAD, *WAIT, *options)

    def make_job(self, name, pipeline, sites, **options):
        """Make a job whose clients can be held in a round."""
        make_job(
            self.folder / name, f"{self.folder / 'prep.py'}:{pipeline}", list(sites), **options
        )
        config = self.folder / name / "app" / "config" / "config_fed_client.json"
        text = config.read_text("utf-8")
        held = text.replace(
            "fedps.nvflare.client.Client", "tests.conformance.nvflare_held.HeldClient"
        )
        assert held != text
        config.write_text(held, "utf-8")

    def make_owners_job(self, name, sites):
        """Make a job that goes through the scenario of owners of columns."""
        self.make_job(name, "pipeline", sites)
        config = self.folder / name / "app" / "config"
        for file, old, new in (
            ("config_fed_client.json", "nvflare_held.HeldClient", "nvflare_held.Owner"),
            (
                "config_fed_server.json",
                "fedps.nvflare.server.Server",
                "tests.conformance.nvflare_held.OwnersServer",
            ),
        ):
            text = (config / file).read_text("utf-8")
            assert old in text
            (config / file).write_text(text.replace(old, new), "utf-8")

    def hold(self, site, number):
        """Let a site wait in a round, until it is let go by what this returns."""
        file = self.holds / f"{site}-{number}"
        file.touch()
        return file

    def await_hold(self, file):
        """Wait until a site waits."""
        reached = file.with_suffix(".reached")
        wait_for(reached.exists, f"{file.name} to be reached")
        reached.unlink()

    def job_process(self, name):
        """Return the pid of the process in which a site, or the server, runs a job."""

        def found():
            pids = [pid for pid in marked(f"{self.mark}/{name}") if _is_job(pid)]
            return pids[0] if pids else None

        return wait_for(found, f"a job process of {name}")

    def kill(self, name):
        """SIGKILL a site or the server, with all its processes."""
        end(f"{self.mark}/{name}")
        self.children.pop(name).wait(PATIENCE)

    def _is_open(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def _fedps(self, *arguments):
        return [sys.executable, "-m", "fedps.cli", *map(str, arguments)]

    def _keep_storage_here(self):
        """Let the server keep jobs in its own folder: by default they are in a shared one."""
        local = self.kits / "localhost" / "local"
        text = (local / "resources.json.default").read_text("utf-8")
        own = re.sub(r'"[^"]*/(jobs|snapshot)-storage"', rf'"{self.folder}/\1-storage"', text)
        assert own != text
        (local / "resources.json").write_text(own, "utf-8")

    def _allow_tests(self, name):
        """Let jobs use the held client."""
        local = self.kits / name / "local"
        own = local / "resources.json"
        source = own if own.is_file() else local / "resources.json.default"
        resources = json.loads(source.read_text("utf-8"))
        resources["class_allow_list"].append("tests.conformance.nvflare_held.")
        own.write_text(json.dumps(resources), "utf-8")


def _is_job(pid):
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"runner_process" in command or b"worker_process" in command

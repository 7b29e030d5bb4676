"""A real Chromium, driven by its DevTools protocol over two pipes: no driver, no port, no library."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any, Self

PROGRAM = "/usr/bin/chromium"
PATIENCE = 120.0  # seconds that tell what hangs from what is slow

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    # no name is ever looked up: a request to any address fails, and is seen in the log
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)


class Chromium:
    """A browser with one page. Use it in a ``with`` statement."""

    def __enter__(self) -> Self:
        self._home = tempfile.mkdtemp(prefix="chromium-")
        to_browser, self._write = (_high(fd) for fd in os.pipe())
        self._read, from_browser = (_high(fd) for fd in os.pipe())
        # the browser reads what we say from descriptor 3, and answers on 4
        self._pid = os.posix_spawn(
            PROGRAM,
            [PROGRAM, *FLAGS, f"--user-data-dir={self._home}", "about:blank"],
            {**os.environ, "HOME": self._home},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, to_browser, 3),
                (os.POSIX_SPAWN_DUP2, from_browser, 4),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setpgroup=0,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number, self._session, self._rest = 0, "", b""
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._home, ignore_errors=True)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        number = self._number
        while True:
            answer = self._next()
            if answer.get("id") != number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def open(self, path: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Open a file and wait until it is loaded."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        self.wait_for_event("Page.loadEventFired")

    def wait_for_event(self, method: str) -> dict[str, Any]:
        """Return the first event of a name since the page was opened, as soon as there is one."""
        while True:
            found = next((event for event in self.events if event.get("method") == method), None)
            if found is not None:
                return found
            self.events.append(self._next())

    def run(self, script: str) -> Any:
        """Return what an expression gives in the page; a promise is waited for."""
        asked = {"expression": script, "returnByValue": True, "awaitPromise": True}
        found = self.send("Runtime.evaluate", **asked)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key, such as "Tab", "ArrowRight" or "a"."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, " ": 32}
        arrows = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        code = {**codes, **arrows}.get(key, ord(key[0].upper()))
        told = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        typed = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", **told, **typed)
        self.send("Input.dispatchKeyEvent", type="keyUp", **told)

    def write(self, text: str) -> None:
        """Press the keys of a text."""
        for letter in text:
            self.press(letter)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write what is seen, or the whole page, to a PNG file."""
        found = self.send(
            "Page.captureScreenshot", captureBeyondViewport=whole, **_clip(self, whole)
        )
        path.write_bytes(base64.b64decode(found["data"]))

    def paper(self, path: Path) -> None:
        """Print the page to a PDF file."""
        found = self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def complaints(self) -> list[str]:
        """Return what stands in the console: errors, warnings and exceptions."""
        self.run("1")  # what was said before has arrived then
        methods = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [json.dumps(event) for event in self.events if event.get("method") in methods]

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for, itself included."""
        self.run("1")
        sent = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            if not select.select([self._read], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError(f"Chromium said nothing for {PATIENCE:.0f} seconds")
            more = os.read(self._read, 1 << 20)
            if not more:
                raise EOFError("Chromium ended")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)


def _high(descriptor: int) -> int:
    """Return a descriptor above 3 and 4, which the browser takes for us."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


def _clip(browser: Chromium, whole: bool) -> dict[str, Any]:
    if not whole:
        return {}
    size = browser.send("Page.getLayoutMetrics")["cssContentSize"]
    return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

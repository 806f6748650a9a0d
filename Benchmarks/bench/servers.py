"""Starts servers, and measures what they use while they run."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
#: Time limit for a server to start, and to end, in seconds.
PATIENCE = 60


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A process that listens for HTTP on its own port until the block ends."""

    def __init__(
            self, command: list, port: int, health: str, errors: Path,
            environment: dict[str, str] | None = None):
        """Variables of `environment` are added to those of this process."""
        self.command = [str(word) for word in command]
        self.environment = {**os.environ, **(environment or {})}
        self.url = f"http://127.0.0.1:{port}"
        self.health = health
        self.errors = errors

    def __enter__(self) -> "Server":
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                env=self.environment)
        end = time.monotonic() + PATIENCE
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise ServerError(f"{self.command[0]}: does not start: see {self.errors}")
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        try:
            self.get(self.health)
        except OSError:
            return False
        return True

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def post(self, path: str, body: bytes, kind: str = "application/octet-stream") -> dict:
        request = urllib.request.Request(
            self.url + path, data=body, method="POST", headers={"Content-Type": kind})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            content = answer.read()
            return json.loads(content) if content.startswith(b"{") else {}

    @property
    def cpu(self) -> float:
        """The user and system time of all threads so far, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def memory(self) -> dict:
        """The resident set, and the part of it that is not backed by files, in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        values = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        return {
            "rss": int(values["VmRSS"].split()[0]) / 1024,
            "anonymous": int(values["RssAnon"].split()[0]) / 1024}


class ServerError(Exception):
    """A failure of a server."""


class MemorySamples:
    """Samples the memory of a server twice a second while the block runs."""

    def __init__(self, server: Server):
        self.server = server
        self.samples: list[dict] = []
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self._sample)

    def __enter__(self) -> "MemorySamples":
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.thread.join()

    def _sample(self):
        start = time.monotonic()
        while not self.is_done.wait(0.5):
            self.samples.append(
                {"second": round(time.monotonic() - start, 1), **self.server.memory})

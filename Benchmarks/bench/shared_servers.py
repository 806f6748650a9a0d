"""Starts the database and the object server that nodes share, and limits CPU time."""

import os
import shutil
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

from .places import PROJECT, Places
from .servers import PATIENCE, TICKS, ServerError, free_port

#: PostgreSQL refuses to run as root.
AS_ORDINARY_USER = (
    ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else [])
SECRET = "benchmark-secret"
BUCKET = "benchmark"
#: Of version 1 of the kernel's interface; version 2 has no folder of this name.
CGROUPS = Path("/sys/fs/cgroup/cpu")
PERIOD_MICROSECONDS = 100_000


class Database:
    """A PostgreSQL server in a folder of its own, until the block ends."""

    SETTINGS = {
        "shared_buffers": "256MB", "max_connections": "100", "max_wal_size": "4GB",
        "checkpoint_timeout": "15min", "wal_compression": "off"}

    def __init__(self, places: Places):
        self.programs = max(
            Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name),
            default=None)
        if not self.programs:
            raise ServerError("PostgreSQL: not found: run Scripts/install --tests")
        self.folder = Path(f"/tmp/symbolist-benchmark-{os.getpid()}")
        self.port = free_port()
        self.log = places.written("database.log")

    def __enter__(self) -> "Database":
        self.folder.mkdir()
        if AS_ORDINARY_USER:
            shutil.chown(self.folder, "nobody", "nogroup")
        subprocess.run(
            [*AS_ORDINARY_USER, self.programs / "initdb", "-D", self.folder / "data", "-U",
             "symbolist", "-E", "UTF8", "--locale=C", "-A", "trust"],
            cwd=self.folder, check=True, capture_output=True)
        options = [
            word for name, value in self.SETTINGS.items() for word in ("-c", f"{name}={value}")]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*AS_ORDINARY_USER, self.programs / "postgres", "-D", self.folder / "data", "-p",
                 str(self.port), "-k", self.folder, "-c", "listen_addresses=127.0.0.1", *options],
                cwd=self.folder, stdout=log, stderr=log)
        wait_until(lambda: self._is_ready, "PostgreSQL", self.log)
        return self

    def __exit__(self, *_):
        # Ends the sessions as well.
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)
        shutil.rmtree(self.folder)

    @property
    def _is_ready(self) -> bool:
        return subprocess.run(
            [self.programs / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port)],
            check=False).returncode == 0

    @property
    def url(self) -> str:
        return f"postgres://symbolist@127.0.0.1:{self.port}/{self.name}"

    def make(self, name: str):
        """Makes an empty database, which ``url`` names from now on."""
        self.name = "postgres"
        self.query(f"CREATE DATABASE {name}")
        self.name = name

    def query(self, text: str) -> str:
        done = subprocess.run(
            [self.programs / "psql", "-XAtq", self.url, "-c", text], check=True,
            capture_output=True, text=True)
        return done.stdout.strip()

    @property
    def log_bytes(self) -> int:
        """The position in the write-ahead log."""
        return int(self.query("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8"))

    @property
    def archive_bytes(self) -> int:
        """The size of all objects with archived requests."""
        return int(self.query("SELECT coalesce(sum(bytes), 0) FROM archive"))

    @property
    def index_bytes(self) -> int:
        """The size of all objects with indexes."""
        return int(self.query("SELECT coalesce(sum(bytes), 0) FROM index_object"))

    @property
    def is_archived(self) -> bool:
        """Whether no entry of any lane waits to be archived."""
        return self.query(
            "SELECT bool_and(coalesce(a.place, l.id::int8 << 48) >= l.tail) "
            "FROM lane l LEFT JOIN archive_cursor a ON a.lane = l.id") == "t"

    @property
    def cpu(self) -> float:
        """The user and system time of all processes so far, in seconds."""
        main = self.process.pid
        own, ended = cpu_of(main)
        total = own + ended
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == main:
                total += (int(fields[11]) + int(fields[12])) / TICKS
        return total


def cpu_of(process: int) -> tuple[float, float]:
    """Returns the time of a process and that of its children that have ended, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    own, ended = sum(map(int, fields[11:13])), sum(map(int, fields[13:15]))
    return own / TICKS, ended / TICKS


class Storage:
    """An S3-compatible server with one bucket, until the block ends."""

    def __init__(self, places: Places):
        self.program = PROJECT / ".build-peers" / "bin" / "weed"
        if not self.program.exists():
            raise ServerError("SeaweedFS: not found: run Scripts/install-peers")
        self.folder = places.written("storage")
        self.log = places.written("storage.log")
        self.secret = places.written("storage.secret")

    def __enter__(self) -> "Storage":
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.secret.write_text(SECRET)
        identities = self.folder / "s3.json"
        identities.write_text(
            '{"identities": [{"name": "benchmark", "actions": ["Admin", "Read", "Write", "List"], '
            f'"credentials": [{{"accessKey": "benchmark", "secretKey": "{SECRET}"}}]}}]}}')
        names = [
            "s3.port", "s3.port.grpc", "master.port", "master.port.grpc", "volume.port",
            "volume.port.grpc", "filer.port", "filer.port.grpc"]
        ports = {name: free_port() for name in names}
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [self.program, "server", f"-dir={self.folder}", "-ip=127.0.0.1",
                 "-ip.bind=127.0.0.1", "-master.telemetry=false", "-master.volumeSizeLimitMB=64",
                 "-volume.max=200", "-volume.minFreeSpace=1MiB", "-s3", f"-s3.config={identities}",
                 "-s3.port.iceberg=0", "-s3.port.lance=0",
                 *(f"-{name}={port}" for name, port in ports.items())],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.endpoint = f"http://127.0.0.1:{ports['s3.port']}"
        # A folder of the filer is a bucket.
        folder = f"http://127.0.0.1:{ports['filer.port']}/buckets/{BUCKET}/"
        wait_until(
            lambda: _succeeds(folder, "POST") and _succeeds(folder, "GET"), "SeaweedFS", self.log)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)


def _succeeds(url: str, method: str) -> bool:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=10):
            return True
    except OSError:
        return False


def wait_until(condition, subject: str, log: Path):
    """Waits until a condition is true, and raises an error after a time limit."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise ServerError(f"{subject}: not ready after {PATIENCE} s: see {log}")
        time.sleep(0.1)


class Quota:
    """A limit on the CPU time of a process, as a share of one processor."""

    def __init__(self, name: str, share: float):
        self.folder = CGROUPS / f"symbolist-benchmark-{name}"
        self.share = share

    @staticmethod
    def is_available() -> bool:
        return os.access(CGROUPS, os.W_OK) and (CGROUPS / "cpu.cfs_quota_us").exists()

    def limit(self, process: int):
        """Limits a process with all its threads."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
        (self.folder / "cpu.cfs_quota_us").write_text(str(int(self.share * PERIOD_MICROSECONDS)))
        (self.folder / "cgroup.procs").write_text(str(process))

    def remove(self):
        """Removes the limit, once its process has ended."""
        if self.folder.exists():
            self.folder.rmdir()

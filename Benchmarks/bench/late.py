"""Measures how fast diagnostics are sent again when the symbols that they wait for arrive."""

import io
import sys
import tarfile
import threading
import time
import uuid
from pathlib import Path
from random import Random

from . import requests
from .images import read_image
from .jobs import empty_folder
from .places import Places
from .servers import Server, ServerError
from .service import counts_of, discarding, started_service
from .stacks import BUILD_SYMBOLS

#: The number of builds whose symbols arrive, of diagnostics of each, and of diagnostics in one request.
BUILDS, DIAGNOSTICS, BATCH = 50, 400, 20
#: Time limit for sending all of them again, in seconds.
LIMIT = 600
#: The pause between requests whose acknowledgement is timed, and the time without revisions, in seconds.
PAUSE, QUIET_SECONDS = 0.02, 10

DSYM = BUILD_SYMBOLS / "Orchard.app.dSYM" / "Contents" / "Resources" / "DWARF" / "Orchard"


def measure(places: Places, rounds: int) -> list[dict]:
    runs = []
    for number in range(rounds):
        runs.append(_run(places, seed=number))
        summary = ", ".join(f"{key} {value:.4g}" for key, value in runs[-1].items())
        print(f"late symbols: {summary}", file=sys.stderr)
    return [{"phase": "late", "runs": runs}]


def _run(places: Places, seed: int) -> dict:
    data = places.written("service-data")
    empty_folder(data)()
    identities = [uuid.UUID(int=Random(seed * BUILDS + i).getrandbits(128)) for i in range(BUILDS)]
    with discarding(places, "--count") as backend, \
            started_service(places, data, backend, "none") as service:
        _send(service, identities)
        _wait(service, backend, "accepted", BUILDS * DIAGNOSTICS)
        with Probe(service) as before:
            time.sleep(QUIET_SECONDS)
        _wait(service, backend, "accepted", BUILDS * DIAGNOSTICS + before.sent)
        cpu = service.cpu
        with Probe(service) as during:
            service.post("/v1/symbols?name=symbols.tar", _symbols(identities))
            stored = time.monotonic()
            first = _wait(service, backend, "revisions", 1)
            begun = time.monotonic()
            _wait(service, backend, "revisions", BUILDS * DIAGNOSTICS)
        _wait(service, backend, "accepted", 2 * BUILDS * DIAGNOSTICS + before.sent + during.sent)
        seconds = time.monotonic() - begun
        cpu, rss = service.cpu - cpu, service.memory["rss"]
    return {
        "rate": (BUILDS * DIAGNOSTICS - first) / seconds, "delay": begun - stored,
        "cpu": cpu / (BUILDS * DIAGNOSTICS) * 1e6, "p99_before": before.p99,
        "p99_during": during.p99, "rss": rss}


def _send(service: Server, identities: list[uuid.UUID]):
    """Sends diagnostics of every build. Those of two builds differ in identities only."""
    batches = requests.Requests().batches(count=BUILDS, size=BATCH)
    original = str(uuid.UUID(hex=read_image(DSYM).identity)).upper().encode()
    for repeat in range(DIAGNOSTICS // BATCH):
        for index, identity in enumerate(identities):
            body = batches[(index + repeat) % BUILDS]
            _post(service, body.replace(original, str(identity).upper().encode()))


def _post(service: Server, body: bytes):
    service.post("/v1/logs", body, "application/x-protobuf")


def _symbols(identities: list[uuid.UUID]) -> bytes:
    """Returns an archive with the debug file of every build."""
    file = DSYM.read_bytes()
    original = bytes.fromhex(read_image(DSYM).identity)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as bundle:
        for identity in identities:
            content = file.replace(original, identity.bytes)
            member = tarfile.TarInfo(f"{identity}.dSYM/{Path(*DSYM.parts[-4:])}")
            member.size = len(content)
            bundle.addfile(member, io.BytesIO(content))
    return archive.getvalue()


def _wait(service: Server, backend: Server, what: str, count: int) -> int:
    """Waits until a figure has reached a number, and returns the figure."""
    end = time.monotonic() + LIMIT
    while (figure := counts_of(service, backend)[what]) < count:
        if time.monotonic() > end:
            raise ServerError(f"the number of {what} is {figure} after {LIMIT} s, not {count}")
        time.sleep(0.1)
    return figure


class Probe:
    """Sends a crash at intervals while the block runs, and times the acknowledgements."""

    def __init__(self, service: Server):
        self.service = service
        self.times: list[float] = []
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self._send)
        self.body = requests.Requests().batches(count=1, size=1)[0]

    def __enter__(self) -> "Probe":
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.thread.join()

    @property
    def sent(self) -> int:
        return len(self.times)

    @property
    def p99(self) -> float:
        """In milliseconds."""
        return sorted(self.times)[len(self.times) * 99 // 100] * 1e3

    def _send(self):
        while not self.is_done.wait(PAUSE):
            start = time.perf_counter()
            _post(self.service, self.body)
            self.times.append(time.perf_counter() - start)

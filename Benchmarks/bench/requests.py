"""The requests of the load, written once to a file that wrk reads."""

import uuid
from pathlib import Path
from random import Random

from . import otlp
from .stacks import Stacks

#: The number of different crashes, each one request of one record.
CRASHES = 1_000
#: The number of requests without diagnostics.
PLAIN = 200
CRASH_BYTES, HANG_BYTES, LARGE_HANG_BYTES = 20_000, 28_000, 1_500_000
#: The size of a crash of some 300 frames.
LARGE_CRASH_BYTES = 46_000
#: The end of the payloads' interval.
TIME = 1_795_165_200_000_000_000

#: The number of requests of each kind in the mix, in random order.
MIX = {"crash": 120, "logs": 50, "batch": 20, "hang": 8, "large hang": 2}

RESOURCE = {
    "service.name": "Orchard", "service.version": "1.4.0 (217)",
    "app.bundle.executable": "Orchard", "os.name": "iOS", "os.version": "18.1.0",
    "telemetry.sdk.language": "swift", "telemetry.sdk.name": "opentelemetry"}


class Requests:
    """Makes requests, deterministic for a seed."""

    def __init__(self, seed: int = 42):
        self.random = Random(seed)
        self.stacks = Stacks(seed)

    def crashes(self) -> list[bytes]:
        return self.batches(count=CRASHES, size=1)

    def batches(self, count: int, size: int) -> list[bytes]:
        """Returns requests with `size` crashes each."""
        return [
            self._request("MetricKit", [self._crash() for _ in range(size)]) for _ in range(count)]

    def plain(self) -> list[bytes]:
        """Returns requests with 20 records each, none of which is a diagnostic."""
        return [self._of_kind("logs") for _ in range(PLAIN)]

    def mix(self) -> list[bytes]:
        kinds = [kind for kind, count in MIX.items() for _ in range(count)]
        self.random.shuffle(kinds)
        return [self._of_kind(kind) for kind in kinds]

    def samples(self) -> list[bytes]:
        """Returns a request with a large crash, and one with a small and a large hang."""
        return [
            self._request("MetricKit", [self._crash(LARGE_CRASH_BYTES)]),
            self._request("MetricKit", [self._hang(HANG_BYTES), self._hang(LARGE_HANG_BYTES)])]

    def _of_kind(self, kind: str) -> bytes:
        match kind:
            case "crash":
                return self._request("MetricKit", [self._crash()])
            case "logs":
                return self._request("App", [self._plain() for _ in range(20)])
            case "batch":
                records = [self._crash() for _ in range(5)] + [self._plain() for _ in range(5)]
                return self._request("MetricKit", records)
            case _:
                size = HANG_BYTES if kind == "hang" else LARGE_HANG_BYTES
                return self._request("MetricKit", [self._hang(size)])

    def _request(self, scope: str, records: list[bytes]) -> bytes:
        return otlp.request(self._with_session(RESOURCE), scope, records)

    def _with_session(self, attributes: dict) -> dict:
        return attributes | {"session.id": str(uuid.UUID(int=self.random.getrandbits(128)))}

    def _crash(self, size: int = CRASH_BYTES) -> bytes:
        prefix = "metrickit.diagnostic.crash.exception."
        return otlp.record(self._time(), self._with_session({
            "name": "metrickit.diagnostic.crash",
            "exception.stacktrace": self.stacks.crash(size),
            "exception.type": "EXC_BREAKPOINT", "exception.message": "Trace, breakpoint, etc.",
            prefix + "code": 1, prefix + "mach_exception.type": 6,
            prefix + "mach_exception.name": "EXC_BREAKPOINT",
            prefix + "mach_exception.description": "Trace, breakpoint, etc.",
            prefix + "signal": 5, prefix + "signal.name": "SIGTRAP",
            prefix + "termination_reason": "Namespace SIGNAL, Code 0x5"},
        ), event="metrickit.diagnostic.crash")

    def _hang(self, size: int) -> bytes:
        return otlp.record(self._time(), self._with_session({
            "name": "metrickit.diagnostic.hang",
            "exception.stacktrace": self.stacks.hang(size),
            "metrickit.diagnostic.hang.hang_duration": self.random.randrange(1, 30)},
        ), event="metrickit.diagnostic.hang")

    def _plain(self) -> bytes:
        return otlp.record(self._time(), self._with_session({
            "screen.name": "Harvest", "http.response.status_code": 200,
            "url.path": f"/orchards/{self.random.randrange(10_000)}/harvest",
        }), body=f"loaded {self.random.randrange(100)} crates")

    def _time(self) -> int:
        return TIME - self.random.randrange(86_400) * 1_000_000_000


def write(path: Path, requests: list[bytes]):
    """Writes each request after a line with its length."""
    with open(path, "wb") as file:
        for body in requests:
            file.write(b"%d\n" % len(body) + body)

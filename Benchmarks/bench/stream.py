"""Measures how fast the lines of a log pass through the command."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from .jobs import Job, run_rounds
from .places import Places

#: A small log, whose peak RSS must equal that of the large one.
SIZES = {"64 MB": 64_000_000, "1 GB": 1_000_000_000}

ORDINARY = "ordinary lines", "a sanitizer's report every 10 MB"

REPORT = """\
==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55f41410c38a
READ of size 4 at 0x602000000010 thread T0
    #0 0x55f41410c38a  (/src/cellar+0x238a) (BuildId: 93ac61ec5a8eb1396f9fbd350e3169a558528a40)
    #1 0x55f41410c4c7  (/src/cellar+0x24c7) (BuildId: 93ac61ec5a8eb1396f9fbd350e3169a558528a40)
SUMMARY: AddressSanitizer: heap-use-after-free (/src/cellar+0x238a)
"""


def measure(places: Places, rounds: int) -> list[dict]:
    """A measurement for each log."""
    measurements = []
    for content in ORDINARY:
        for name, size in SIZES.items():
            log = places.written("log.txt")
            _write(log, size, content != ORDINARY[0])
            job = Job(
                f"{content}, {name}",
                [places.symbolist, "symbolicate", "-", "--format", "same", "--quiet"], stdin=log,
                environment={"SYMBOLIST_DEBUG_FOLDERS": "none"})
            runs = run_rounds(places, [job], rounds)[job.tool]
            measurements.append({
                "phase": "stream", "tool": job.tool, "runs": runs, "bytes": log.stat().st_size})
            log.unlink()
    return measurements


def _write(path: Path, size: int, holds_reports: bool):
    with open(path, "wb") as file:
        for block in _blocks(size):
            file.write(block)
            if holds_reports:
                file.write(REPORT.encode())


def _blocks(size: int) -> Iterator[bytes]:
    """Blocks of 10 MB of lines as services write them, the same ones for the same size."""
    random = Random(42)
    lines = []
    for _ in range(20_000):
        path = "/".join(f"item{random.randrange(1000)}" for _ in range(random.randrange(1, 5)))
        lines.append(
            f"2026-01-01T00:00:{random.randrange(60):02}.{random.randrange(1000):03}Z INFO "
            f"[request-{random.getrandbits(64):016x}] GET /{path} 200 {random.randrange(900)} ms\n")
    block = "".join(lines).encode()
    block *= max(1, 10_000_000 // len(block))
    for _ in range(max(1, size // len(block))):
        yield block

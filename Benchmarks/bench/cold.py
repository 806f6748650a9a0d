"""Measures how soon a node with an empty cache processes crashes of many images as fast as others."""

import subprocess
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from . import requests
from .images import read_image
from .late import DSYM
from .places import Places
from .servers import Server, ServerError
from .service import counts_of, wrk

#: The size of all indexes in MB, unless an option sets another.
MEGABYTES = 1_500
#: The functions of each image. Its index has about 4.5 MB.
FUNCTIONS = 200_000
#: The different crashes of each image.
CRASHES = 20
#: Duration of the load, and of its end in which the full rate is measured, in seconds.
SECONDS, LAST_SECONDS = 40, 10
#: The connections to each node.
CONNECTIONS = 24
#: Time between two readings of the counts, and that over which a rate is measured, in seconds.
PAUSE, WINDOW_SECONDS = 0.25, 2.0
#: The shares of the rate at the end, and of the other node's symbolicated frames, that count as full.
FULL_RATE, FULL_SYMBOLS = 0.9, 0.95


class HotImages:
    """Libraries with many functions, and crashes in them."""

    def __init__(self, places: Places):
        self.random = Random(42)
        self.identity = uuid.UUID(int=self.random.getrandbits(128))
        source, library = places.written("hot.s"), places.written("hot.so")
        with open(source, "w") as file:
            file.writelines(self._function(number) for number in range(FUNCTIONS))
        subprocess.run(
            ["cc", "-shared", "-nostdlib", f"-Wl,--build-id=0x{self.identity.hex}", "-o", library,
             source], check=True)
        self.library = library.read_bytes()
        self.bodies = requests.Requests().batches(count=CRASHES, size=1)

    @staticmethod
    def _function(number: int) -> str:
        name = f"_ZN7Orchard9Harvester{number % 997:03d}13count{number:08d}Ev"
        return f".type {name},@function\n{name}: .skip 16\n.size {name},16\n"

    def upload(self, service: Server) -> uuid.UUID:
        """Uploads another library, and returns its identity."""
        identity = uuid.UUID(int=self.random.getrandbits(128))
        answer = service.post(
            "/v1/symbols?name=hot.so", self.library.replace(self.identity.bytes, identity.bytes))
        # It has no debug information, and its symbols are indexed all the same.
        if [file["uuid"] for file in answer["files"]] != [str(identity).upper()]:
            raise ServerError(f"symbols were rejected: {answer}")
        return identity

    def write_crashes(self, path: Path, identities: list[uuid.UUID]):
        """Writes requests with crashes in all images, in random order."""
        original = str(uuid.UUID(hex=read_image(DSYM).identity)).upper().encode()
        bodies = [
            body.replace(original, str(identity).upper().encode())
            for identity in identities for body in self.bodies]
        self.random.shuffle(bodies)
        requests.write(path, bodies)


class Readings:
    """Reads the counts of a node at intervals while the block runs."""

    def __init__(self, service: Server, backend: Server):
        self.service, self.backend = service, backend
        self.all: list[tuple[float, dict]] = []
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self._read)

    def __enter__(self) -> "Readings":
        self.start = time.monotonic()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.thread.join()

    def _read(self):
        while not self.is_done.wait(PAUSE):
            counts = counts_of(self.service, self.backend)
            self.all.append((time.monotonic() - self.start, counts))

    @property
    def rate(self) -> float:
        """The diagnostics per second at the end."""
        first, last = self._ends(SECONDS - LAST_SECONDS, SECONDS)
        return _rate(first, last)

    def seconds(self, share: float) -> float:
        """Returns the time until the rate is that of the end, with a share of symbolicated frames."""
        for end, _ in self.all:
            first, last = self._ends(end - WINDOW_SECONDS, end)
            if _rate(first, last) >= self.rate * FULL_RATE and \
                    symbolicated(first[1], last[1]) >= share * FULL_SYMBOLS:
                return end
        raise ServerError(f"the full rate was not reached within {SECONDS} s")

    def _ends(self, start: float, end: float) -> tuple[tuple[float, dict], tuple[float, dict]]:
        """Returns the first and the last reading within a time."""
        within = [reading for reading in self.all if start <= reading[0] <= end]
        return within[0], within[-1]


def _rate(first: tuple[float, dict], last: tuple[float, dict]) -> float:
    return (last[1]["worked"] - first[1]["worked"]) / max(last[0] - first[0], PAUSE)


def symbolicated(first: dict, last: dict) -> float:
    """Returns the share of symbolicated frames between two readings."""
    frames = last["frames"] - first["frames"]
    return (last["symbolicated_frames"] - first["symbolicated_frames"]) / max(frames, 1)


def load(services: list[Server], cold: Server, backend: Server, file: Path) -> Readings:
    """Loads all services with the same requests, and reads the counts of one of them."""
    with Readings(cold, backend) as readings, ThreadPoolExecutor(len(services)) as pool:
        # Raises the error of a client that failed.
        list(pool.map(lambda service: wrk(service, file, CONNECTIONS, SECONDS), services))
    return readings

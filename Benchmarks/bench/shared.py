"""Measures nodes with one database and one bucket, compared with a single service."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from . import cold, requests
from .jobs import empty_folder
from .places import Places
from .servers import Server, ServerError, free_port
from .service import counts_of, discarding, upload_symbols, wrk
from .shared_servers import BUCKET, Database, Quota, Storage, wait_until

EMBEDDED, COLD = "one service", "cold node"
NODES = [1, 2, 3]
#: Duration of the load in seconds, and the connections of all clients together.
SECONDS, CONNECTIONS = 10, 48
#: Time limit for exporting everything acknowledged.
DRAIN_SECONDS = 120
#: Requests that are timed on an idle machine, and the pause between them in seconds.
PROBES, PAUSE = 300, 0.02
#: The share of a processor that each node has when rates are compared.
QUOTA = 0.15
#: The lease of a lane. The defaults of the service.
LEASE_SECONDS = 15


def nodes(count: int) -> str:
    return f"{count} node" if count == 1 else f"{count} nodes"


def measure(places: Places, rounds: int, hot_megabytes: int) -> list[dict]:
    file = places.written("crashes.requests")
    crashes = requests.Requests().crashes()
    requests.write(file, crashes)
    tools = [EMBEDDED, *map(nodes, NODES)]
    loads: dict[str, list] = {tool: [] for tool in tools}
    limited: dict[str, list] = {nodes(1): [], nodes(3): []}
    probes: dict[str, list] = {EMBEDDED: [], nodes(1): []}
    takeovers: dict[str, list] = {"SIGKILL": [], "SIGTERM": []}
    joins: list[dict] = []
    images = cold.HotImages(places)
    with Database(places) as database, Storage(places) as storage, \
            discarding(places, "--count") as backend:
        site = Site(places, database, storage, backend)
        for number in range(rounds):
            for tool in tools if number % 2 == 0 else reversed(tools):
                with site.running(tool) as running:
                    if tool in probes:
                        probes[tool].append(_probe(running[0], crashes[0]))
                    loads[tool].append(_load(site, running, file))
                _say(tool, loads[tool][-1])
            for tool, runs in limited.items() if Quota.is_available() else ():
                with site.running(tool, quota=QUOTA) as running:
                    runs.append(_load(site, running, file))
                _say(f"{tool}, {QUOTA} processors each", runs[-1])
            for name, runs in takeovers.items():
                runs.append(_take_over(site, file, getattr(signal, name)))
                _say(name, runs[-1])
            joins.append(_join(site, images, hot_megabytes))
            _say(COLD, joins[-1])
    return [
        {"phase": "shared", "part": part, "tool": tool, "runs": runs}
        for part, tools in (
            ("load", loads), ("quota", limited), ("idle", probes), ("takeover", takeovers),
            ("cold", {COLD: joins}))
        for tool, runs in tools.items() if runs]


def _say(name: str, run: dict):
    figures = ", ".join(
        f"{key} {value:.4g}" for key, value in run.items() if isinstance(value, (int, float)))
    print(f"shared: {name}: {figures}", file=sys.stderr)


class Site:
    """What services need, and the services that run on it."""

    def __init__(self, places: Places, database: Database, storage: Storage, backend: Server):
        self.places, self.database, self.storage = places, database, storage
        self.backend = backend
        self.runs = 0

    @contextmanager
    def running(self, tool: str, quota: float | None = None):
        """Starts the services of a tool with an empty database, and uploads the symbols."""
        self.runs += 1
        self.database.make(f"run_{self.runs}")
        count = 1 if tool == EMBEDDED else int(tool.split()[0])
        with ExitStack() as stack:
            services = [
                stack.enter_context(self.service(number, is_shared=tool != EMBEDDED))
                for number in range(count)]
            upload_symbols(services[0])
            # Every node notices the symbols within a second, and gets the indexes before it is
            # measured.
            time.sleep(2)
            crash = requests.Requests().crashes()[0]
            for service in services:
                service.post("/v1/logs", crash, "application/x-protobuf")
            self.drain(services)
            quotas = [Quota(str(number), quota) for number in range(count)] if quota else []
            for service, limit in zip(services, quotas):
                limit.limit(service.process.pid)
            yield services
        for limit in quotas:
            limit.remove()

    def service(self, number: int, is_shared: bool) -> Server:
        data = self.places.written(f"node-{number}")
        empty_folder(data)()
        port = free_port()
        settings = {"export.0.compression": "none", "grpc.enabled": "false"}
        if is_shared:
            settings |= {
                "database.url": self.database.url, "blobs.url": f"s3://{BUCKET}/run-{self.runs}",
                "blobs.endpoint": self.storage.endpoint, "blobs.access_key_id": "benchmark",
                "blobs.secret_key_file": self.storage.secret, "cluster.node": f"node{number}",
                "cluster.lease": f"{LEASE_SECONDS}s", "archive.delay": "1s"}
        command = [
            self.places.symbolist, "serve", "--data", data, "--http", f"127.0.0.1:{port}",
            "--export", self.backend.url]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        return Server(command, port, "/readyz", self.places.written(f"node-{number}.log"))

    def drain(self, services: list[Server]) -> tuple[dict, float]:
        """Waits until everything acknowledged is exported; returns the counts, and since when."""
        end = time.monotonic() + DRAIN_SECONDS
        last, since = None, 0.0
        while time.monotonic() < end:
            counts = self.counts(services)
            if counts != last:
                last, since = counts, time.monotonic()
            is_even = counts["acknowledged"] == counts["worked"] == counts["accepted"]
            if is_even and time.monotonic() - since > 1:
                return counts, since
            time.sleep(0.1)
        raise ServerError(f"not everything was exported after {DRAIN_SECONDS} s: {counts}")

    def counts(self, services: list[Server]) -> dict:
        """Returns the sums of what the services acknowledged, processed and exported."""
        counts = [counts_of(service, self.backend) for service in services]
        return {key: sum(one[key] for one in counts) for key in ("acknowledged", "worked", "accepted")}


def _load(site: Site, services: list[Server], file: Path) -> dict:
    """Loads all services at once, and returns their rate and costs."""
    is_shared = len(services) > 1 or "database.url" in " ".join(services[0].command)
    before, cpu = site.counts(services), sum(service.cpu for service in services)
    if is_shared:
        database_cpu, log_bytes = site.database.cpu, site.database.log_bytes
        archive_bytes = site.database.archive_bytes
    start = time.monotonic()
    loads = _clients(services, file)
    counts, end = site.drain(services)
    count = counts["acknowledged"] - before["acknowledged"]
    if any(load["broken"] or load["refused"] for load in loads):
        raise ServerError(f"requests failed: {loads}")
    if is_shared:
        wait_until(lambda: site.database.is_archived, "the archive", site.database.log)
    run = {
        "load": os.getloadavg()[0], "rate": count / (end - start),
        "cpu": (sum(service.cpu for service in services) - cpu) / count * 1e6,
        "p50": max(load["p50"] for load in loads), "p99": max(load["p99"] for load in loads),
        "rss": max(service.memory["rss"] for service in services)}
    if is_shared:
        run["database_cpu"] = (site.database.cpu - database_cpu) / count * 1e6
        run["log_bytes"] = (site.database.log_bytes - log_bytes) / count
        run["archive_bytes"] = (site.database.archive_bytes - archive_bytes) / count
    return run


def _clients(services: list[Server], file: Path) -> list[dict]:
    """Runs a client for each service, with equal shares of the connections."""
    loads: list = [None] * len(services)

    def run(index: int):
        loads[index] = wrk(services[index], file, CONNECTIONS // len(services), SECONDS)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(services))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if None in loads:
        raise ServerError("a client failed")
    return loads


def _probe(service: Server, body: bytes) -> dict:
    """Returns the durations of acknowledgements without other load, in milliseconds."""
    times = []
    for _ in range(PROBES):
        time.sleep(PAUSE)
        start = time.perf_counter()
        service.post("/v1/logs", body, "application/x-protobuf")
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    return {"p50": times[len(times) // 2], "p99": times[len(times) * 99 // 100],
            "rss": service.memory["rss"]}


def _take_over(site: Site, file: Path, how: signal.Signals) -> dict:
    """Ends one of three nodes under load; returns the time until nothing waits in its lane."""
    with site.running(nodes(3)) as services:
        victim, rest = services[1], services[:1] + services[2:]
        load = subprocess.Popen(
            ["wrk", "--threads", "1", "--connections", "16", "--duration", "4s", "--script",
             Path(__file__).parent.parent / "Drivers" / "load.lua", victim.url],
            env={**os.environ, "REQUESTS": str(file)}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        time.sleep(2)
        victim.process.send_signal(how)
        start = time.monotonic()
        while not _is_taken_over(rest[0], victim):
            if time.monotonic() - start > DRAIN_SECONDS:
                raise ServerError("the lane of a node that ended was not adopted")
            time.sleep(0.05)
        seconds = time.monotonic() - start
        load.wait()
        return {"seconds": seconds, "rss": max(service.memory["rss"] for service in rest)}


def _is_taken_over(service: Server, ended: Server) -> bool:
    """Whether a node has ended and nothing waits in any lane."""
    status = json.loads(service.get("/v1/nodes"))
    lanes = [lane for node in status["nodes"] for lane in node["lanes"]]
    waiting = sum(lane["waiting_requests"] for lane in lanes + status["lanes_without_node"])
    return ended.process.poll() is not None and waiting == 0


def _join(site: Site, images: cold.HotImages, megabytes: int) -> dict:
    """Starts a node with an empty cache beside another one, under load from crashes of many images.

    Returns the time until its rate is that of the end.
    """
    file = site.places.written("cold.requests")
    with site.running(nodes(1)) as (first,):
        identities = []
        while site.database.index_bytes < megabytes * 1e6:
            identities.append(images.upload(first))
        images.write_crashes(file, identities)
        with site.service(1, is_shared=True) as node:
            before = counts_of(first, site.backend)
            readings = cold.load([first, node], node, site.backend, file)
            share = cold.symbolicated(before, counts_of(first, site.backend))
            return {
                "seconds": readings.seconds(share), "rate": readings.rate, "symbolicated": share,
                "images": len(identities), "megabytes": site.database.index_bytes / 1e6,
                "rss": node.memory["rss"]}

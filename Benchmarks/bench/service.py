"""Measures the service: requests acknowledged and exported, compared with a server that only reads."""

import io
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import paced, requests
from .jobs import empty_folder
from .places import BENCHMARKS, Places
from .servers import MemorySamples, Server, ServerError, free_port
from .stacks import BUILD_SYMBOLS

OURS, PEER = "symbolist", "read and discard"
CONNECTIONS = 64
#: Duration of the load in seconds, for each server in each round.
SECONDS = 10
#: Time limit for exporting all acknowledged records, once the load has ended.
DRAIN_SECONDS = 120
#: The time for which the counts must be unchanged for the export to be complete: far longer than a batch takes.
QUIET_SECONDS = 2


@dataclass(frozen=True)
class Scenario:
    name: str
    #: The kind of requests: `crashes`, `plain` or `mix`.
    requests: str
    #: The compression of exports: `none` or `gzip`.
    compression: str


SCENARIOS = [
    Scenario("20 KB crashes", "crashes", "none"),
    Scenario("20 KB crashes, export by gzip", "crashes", "gzip"),
    Scenario("20 records, none a diagnostic", "plain", "none"),
    Scenario("mix", "mix", "none"),
]

#: The duration of the load while allocations are counted, and of the first one at half of the full rate, in seconds.
COUNTED_SECONDS, WARM_UP_SECONDS = 5, 2


def measure(places: Places, rounds: int) -> list[dict]:
    """Measures every scenario. In each round the peer and the service swap their order."""
    files = _request_files(places)
    measurements = [
        measurement for scenario in SCENARIOS
        for measurement in _measure(places, scenario, files[scenario.requests], rounds)]
    ours = next(
        m for m in measurements if (m["scenario"], m["tool"]) == (SCENARIOS[0].name, OURS))
    full = statistics.median(run["unit_rate"] for run in ours["runs"])
    return measurements + _measure_paced(places, full / 2, rounds) + [
        _count_allocations(places, scenario, files[scenario.requests])
        for scenario in SCENARIOS if scenario.compression == "none"]


def _request_files(places: Places) -> dict[str, Path]:
    maker = requests.Requests()
    files = {}
    for name, make in (
            ("crashes", maker.crashes), ("plain", maker.plain), ("mix", maker.mix)):
        files[name] = places.written(f"{name}.requests")
        requests.write(files[name], make())
    return files


def _measure(places: Places, scenario: Scenario, file: Path, rounds: int) -> list[dict]:
    runs = {PEER: [], OURS: []}
    data = places.written("service-data")
    empty_folder(data)()
    with discarding(places) as peer, discarding(places, "--count") as backend, \
            started_service(places, data, backend, scenario.compression) as service:
        upload_symbols(service)
        steps = [
            (PEER, lambda: _load_peer(peer, file)),
            (OURS, lambda: _load_service(service, backend, file, scenario))]
        for number in range(rounds):
            for tool, step in steps if number % 2 == 0 else reversed(steps):
                runs[tool].append({"load": os.getloadavg()[0], "fsync": _fsync(data), **step()})
                print(f"{scenario.name}: {tool}: {_summary(runs[tool][-1])}", file=sys.stderr)
    shutil.rmtree(data)
    return [
        {"phase": "service", "scenario": scenario.name, "tool": tool, "runs": runs[tool]}
        for tool in runs]


def _measure_paced(places: Places, rate: float, rounds: int) -> list[dict]:
    """Measures the acknowledgement of 20 KB crashes at a rate that leaves processors idle."""
    runs = {PEER: [], OURS: []}
    bodies = requests.Requests().crashes()
    data = places.written("service-data")
    empty_folder(data)()
    with discarding(places) as peer, discarding(places, "--count") as backend, \
            started_service(places, data, backend, "none") as service:
        upload_symbols(service)
        servers = [(PEER, peer), (OURS, service)]
        paced.send(service, bodies, rate, WARM_UP_SECONDS)
        for number in range(rounds):
            for tool, server in servers if number % 2 == 0 else reversed(servers):
                runs[tool].append(_paced(server, bodies, rate))
                print(f"half of the full rate: {tool}: {_summary(runs[tool][-1])}", file=sys.stderr)
    shutil.rmtree(data)
    return [{"phase": "paced", "tool": tool, "runs": runs[tool]} for tool in runs]


def _paced(server: Server, bodies: list[bytes], rate: float) -> dict:
    before = server.cpu
    times = paced.send(server, bodies, rate, SECONDS)
    # What is acknowledged last is exported within this time.
    time.sleep(QUIET_SECONDS)
    cpu = (server.cpu - before) / (rate * SECONDS) * 1e6
    return {"rate": rate, **times, "cpu": cpu, "rss": server.memory["rss"]}


def _count_allocations(places: Places, scenario: Scenario, file: Path) -> dict:
    """Counts the allocations of the service in a run of its own, which it makes slower."""
    data = places.written("service-data")
    empty_folder(data)()
    counter = places.written("allocations")
    counter.write_bytes(bytes(8))
    environment = {"LD_PRELOAD": str(places.allocations), "ALLOCATIONS": str(counter)}
    with discarding(places, "--count") as backend, \
            started_service(places, data, backend, "none", environment) as service:
        upload_symbols(service)
        # The first run fills the caches.
        for _ in range(2):
            before = int.from_bytes(counter.read_bytes(), "little")
            run = _load_service(service, backend, file, scenario, COUNTED_SECONDS)
            count = int.from_bytes(counter.read_bytes(), "little") - before
    shutil.rmtree(data)
    result = {"allocations": count / run["units"], "rss": run["rss"]}
    print(f"{scenario.name}: {_summary(result)}", file=sys.stderr)
    return {"phase": "allocations", "scenario": scenario.name, "runs": [result]}


def _summary(run: dict) -> str:
    return ", ".join(
        f"{key} {value:.4g}" for key, value in run.items() if isinstance(value, float))


def discarding(places: Places, *options: str) -> Server:
    port = free_port()
    return Server(
        [places.discard, port, *options], port, "/health",
        places.written(f"discard{''.join(options)}.log"))


def started_service(
        places: Places, data: Path, backend: Server, compression: str,
        environment: dict[str, str] | None = None) -> Server:
    port = free_port()
    command = [
        places.symbolist, "serve", "--data", data, "--http", f"127.0.0.1:{port}",
        "--export", backend.url, "--set", f"export.0.compression={compression}",
        "--set", "grpc.enabled=false"]
    return Server(command, port, "/readyz", places.written("service.log"), environment)


def upload_symbols(service: Server):
    """Uploads all images of the app, so that their frames are symbolicated."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as bundle:
        bundle.add(BUILD_SYMBOLS, arcname=BUILD_SYMBOLS.name)
    answer = service.post("/v1/symbols?name=symbols.tar", archive.getvalue())
    if not any(file["status"] == "indexed" for file in answer["files"]):
        raise ServerError(f"symbols were rejected: {answer}")


def _load_peer(peer: Server, file: Path) -> dict:
    before = peer.cpu
    load = wrk(peer, file)
    cpu = peer.cpu - before
    return {
        **load, "rate": load["requests"] / load["seconds"], "rss": peer.memory["rss"],
        "cpu": cpu / load["requests"] * 1e6,
        "cpu_of_all": (cpu + load["wrk_cpu"]) / load["requests"] * 1e6}


def _load_service(
        service: Server, backend: Server, file: Path, scenario: Scenario, duration: int = SECONDS
) -> dict:
    """Loads the service, and returns when everything acknowledged has arrived at the backend."""
    before, cpu, backend_cpu = counts_of(service, backend), service.cpu, backend.cpu
    start = time.monotonic()
    with MemorySamples(service) as memory:
        load = wrk(service, file, seconds=duration)
        counts, end = _drained(service, backend, before)
    seconds = end - start
    counts = {key: value - before[key] for key, value in counts.items()}
    cpu, backend_cpu = service.cpu - cpu, backend.cpu - backend_cpu
    _check(counts, load, scenario)
    # Figures are those of a diagnostic, or of a record if there are none.
    units = counts["diagnostics"] or counts["accepted"]
    return {
        **load, **counts, "units": units, "rate": counts["acknowledged"] / seconds,
        "unit_rate": units / seconds, "drain": seconds - load["seconds"],
        "cpu": cpu / units * 1e6,
        "cpu_of_all": (cpu + backend_cpu + load["wrk_cpu"]) / units * 1e6,
        "symbolicated": counts["symbolicated_frames"] / max(counts["frames"], 1),
        "rss": max(sample["rss"] for sample in memory.samples),
        "anonymous": statistics.median(sample["anonymous"] for sample in memory.samples[-5:]),
        "figures": memory.samples}


def wrk(server: Server, file: Path, connections: int = CONNECTIONS, seconds: int = SECONDS) -> dict:
    """Returns wrk's results within the time, and its own CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["wrk", "--threads", "2", "--connections", str(connections), "--duration",
         f"{seconds}s", "--timeout", "30s", "--script", BENCHMARKS / "Drivers" / "load.lua",
         server.url],
        env={**os.environ, "REQUESTS": str(file)}, capture_output=True, text=True, check=True,
        timeout=seconds + 60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    load = json.loads(re.search(r"^LOAD (.*)$", done.stdout, re.MULTILINE)[1])
    load["wrk_cpu"] = (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return load


def counts_of(service: Server, backend: Server) -> dict:
    """Returns the numbers of records that the service acknowledged and exported, and the backend received."""
    metrics = service.get("/metrics")

    def total(name: str, *labels: str) -> int:
        lines = [line for line in metrics.splitlines() if line.startswith(name)]
        return sum(
            int(float(line.split()[-1])) for line in lines
            if all(label in line for label in labels))

    return {
        "acknowledged": total(
            "symbolist_http_requests_total", 'route="/v1/logs"', 'status="200"'),
        "diagnostics": total("symbolist_diagnostics_total"),
        "frames": total("symbolist_frames_total"),
        "symbolicated_frames": sum(
            total("symbolist_frames_total", f'status="{status}"')
            for status in ("symbolicated", "symbol_only")),
        "worked": total("symbolist_worked_records_total"),
        "accepted": total("symbolist_export_records_total", 'outcome="accepted"'),
        "revisions": total("symbolist_revisions_total"),
        "received": json.loads(backend.get("/count"))["records"]}


def _drained(service: Server, backend: Server, before: dict) -> tuple[dict, float]:
    """Waits until the counts stay the same for a while; returns them, and since when."""
    limit = time.monotonic() + DRAIN_SECONDS
    last, since = None, 0.0
    while time.monotonic() < limit:
        counts = counts_of(service, backend)
        now = time.monotonic()
        if counts != last:
            last, since = counts, now
        is_even = counts["accepted"] == counts["worked"] > before["worked"]
        if is_even and now - since > QUIET_SECONDS:
            return counts, since
        time.sleep(0.1)
    raise ServerError(f"not everything was exported after {DRAIN_SECONDS} s: {counts}")


def _check(counts: dict, load: dict, scenario: Scenario):
    """Checks that everything acknowledged was exported; a benchmark that loses data is void."""
    problems = []
    if counts["acknowledged"] < load["requests"] - load["refused"]:
        problems.append("wrk received more responses than the service sent")
    if load["refused"] or load["broken"]:
        problems.append("requests failed")
    if scenario.requests == "crashes" and counts["accepted"] != counts["acknowledged"]:
        problems.append("acknowledged crashes were not exported, or exported twice")
    if scenario.compression == "none" and counts["received"] != counts["accepted"]:
        problems.append("the backend received another number than was exported")
    if problems:
        raise ServerError(f"{scenario.name}: {'; '.join(problems)}: {counts} {load}")


def _fsync(folder: Path) -> float:
    """Returns the median duration of a small write to disk, in milliseconds."""
    path = folder.parent / "fsync"
    times = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(21):
            file.write(bytes(4096))
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    path.unlink()
    return statistics.median(times) * 1e3

"""Measures the web pages of a service that has a million diagnostics."""

import http.client
import json
import shutil
import statistics
import subprocess
import sys
import time
import urllib.parse
import uuid
from dataclasses import dataclass
from pathlib import Path

from . import archive, requests
from .jobs import empty_folder
from .places import BENCHMARKS, PROJECT, Places
from .servers import Server, ServerError, free_port
from .service import OURS, upload_symbols

#: The number of times a page is opened in a round. CPU time is counted in hundredths of a second.
REQUESTS = 100
#: Time limit for the worker to process the samples, in seconds.
PATIENCE = 60
#: Time limit for a dropped report, from its first byte to its page, in milliseconds.
DROP_BUDGET = 1_000
#: The Python of the browser tests, which has Playwright.
BROWSER = PROJECT / ".build-peers" / "bin" / "python"


@dataclass(frozen=True)
class Page:
    name: str
    path: str
    #: The CPU time, in milliseconds, or nothing if it depends on the report.
    cpu_budget: float | None
    #: The compressed size, in KB of 1,024 bytes.
    size_budget: float
    #: The time to the first response after a start, in milliseconds.
    first_budget: float = 2_000


def measure(places: Places, rounds: int) -> list[dict]:
    """Opens every page in each round, and paints some of them in a browser once."""
    data = places.written("pages-data")
    empty_folder(data)()
    with _service(places, data) as service:
        upload_symbols(service)
        samples = _samples(service)
    print(f"adding {archive.DIAGNOSTICS:,} diagnostics", file=sys.stderr)
    archive.fill(data)
    pages = _pages(samples, archive.most_wanted(data))
    runs = {page: [] for page in pages}
    with _service(places, data) as service:
        firsts = {page: _open(service, page, 1)["p50"] for page in pages}
        drops = []
        for _ in range(rounds):
            drops.append(_drop(service))
            print(f"drops: at most {drops[-1]['p99']:.0f} ms", file=sys.stderr)
            for page in pages:
                runs[page].append(_open(service, page, REQUESTS))
                print(f"{page.name}: {runs[page][-1]['cpu']:.2f} ms CPU", file=sys.stderr)
        paints = _first_paints(service, pages)
    shutil.rmtree(data)
    rows = [
        {"phase": "pages", "tool": OURS, "page": page.name, "cpu_budget": page.cpu_budget,
         "size_budget": page.size_budget, "first": firsts[page],
         "first_budget": page.first_budget, "paint": paints.get(page.path), "runs": runs[page]}
        for page in pages]
    slowest = max(drop["p99"] for drop in drops)
    rows.append(
        {"phase": "pages", "tool": OURS, "page": f"dropped reports: {drops[0]['count']} fixtures", "cpu_budget": None,
         "size_budget": 100, "first": slowest, "first_budget": DROP_BUDGET, "paint": None, "runs": drops})
    return rows


def _service(places: Places, data: Path) -> Server:
    port = free_port()
    command = [
        places.symbolist, "serve", "--data", data, "--http", f"127.0.0.1:{port}",
        "--set", "grpc.enabled=false"]
    return Server(command, port, "/readyz", places.written("pages.log"))


def _samples(service: Server) -> dict[str, str]:
    """Sends diagnostics, and returns the identifiers of the largest by kind once they are processed."""
    for request in requests.Requests().samples():
        service.post("/v1/logs", request, "application/x-protobuf")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        rows = json.loads(service.get("/v1/diagnostics"))["diagnostics"]
        if len(rows) == 3:
            # The newest row is first, so that the last hang is kept.
            return {row["kind"]: row["id"] for row in reversed(rows)}
        time.sleep(0.1)
    raise ServerError("the samples were not processed")


def _pages(samples: dict[str, str], image: str) -> list[Page]:
    app, version = "app=com.example.app1", "version=1.30.0"
    lists = [
        ("groups", "/"), ("groups of an app, by count", f"/?{app}&sort=count"),
        ("groups of a version", f"/?{app}&{version}"),
        ("newest groups of a kind", f"/?{app}&kind=hang&sort=new"),
        ("groups without symbols", "/?status=raw"),
        ("groups with a text", "/?q=function1999"), ("groups with an unknown text", "/?q=nowhere"),
        ("large group", "/g/1:bench1?app=com.example.app1"), ("missing symbols", "/missing"),
        ("missing symbols of an app", f"/missing?{app}"), ("image", f"/images/{image}"),
        ("builds", "/builds"), ("versions", "/versions"), ("health", "/health"),
        ("JSON: groups", f"/v1/groups?{app}&limit=50"),
        ("JSON: diagnostics of a rare version", f"/v1/diagnostics?{app}&version=0.9&limit=50"),
    ]
    crash, hang = (f"/d/{urllib.parse.quote(samples[kind])}" for kind in ("crash", "hang"))
    return [
        Page("crash of 300 frames", crash, 5, 20), Page("hang of 1,000 cells", hang, None, 60),
        Page(
            f"{archive.STACKS:,} hangs of a group, merged",
            f"/g/1:bench{archive.HANGS}?app=com.example.app{archive.HANGS % archive.APPS}", None,
            100),
        *(Page(name, path, 20, 100) for name, path in lists)]


def _open(service: Server, page: Page, count: int) -> dict:
    """Opens a page over one connection, as a browser that has not seen it."""
    connection = http.client.HTTPConnection(
        urllib.parse.urlsplit(service.url).netloc, timeout=PATIENCE)
    times, size, before = [], 0, service.cpu
    try:
        for _ in range(count):
            start = time.perf_counter()
            connection.request(
                "GET", page.path, headers={"Accept": "text/html", "Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            size = len(answer.read())
            times.append((time.perf_counter() - start) * 1e3)
            if answer.status != 200:
                raise ServerError(f"{page.path}: status {answer.status}")
    finally:
        connection.close()
    times.sort()
    return {
        "cpu": (service.cpu - before) / count * 1e3, "p50": statistics.median(times),
        "p99": times[min(len(times) * 99 // 100, len(times) - 1)], "size": size / 1_024,
        "rss": service.memory["rss"]}


def _drop(service: Server) -> dict:
    """Drops each report of the fixtures, one by one, and opens its page."""
    folder = PROJECT / "Fixtures" / "Diagnostics"
    files = [path for path in sorted(folder.glob("*/*")) if ".expected." not in path.name and path.is_file()]
    connection = http.client.HTTPConnection(
        urllib.parse.urlsplit(service.url).netloc, timeout=PATIENCE)
    times, size, before = [], 0, service.cpu
    try:
        for path in files:
            body, headers = _form(path)
            start = time.perf_counter()
            connection.request("POST", "/drop", body, headers)
            location = json.loads(connection.getresponse().read())["location"]
            connection.request("GET", location, headers={"Accept": "text/html", "Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            size = max(size, len(answer.read()))
            times.append((time.perf_counter() - start) * 1e3)
            if answer.status != 200:
                raise ServerError(f"{path}: status {answer.status}")
    finally:
        connection.close()
    return {
        "cpu": (service.cpu - before) / len(files) * 1e3, "p50": statistics.median(times), "p99": max(times),
        "size": size / 1_024, "rss": service.memory["rss"], "count": len(files)}


def _form(path: Path) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a form with one file."""
    boundary = uuid.uuid4().hex
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{path.name}"\r\n\r\n'
    body = head.encode() + path.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
    return body, {"Accept": "application/json", "Content-Type": f"multipart/form-data; boundary={boundary}"}


def _first_paints(service: Server, pages: list[Page]) -> dict[str, float]:
    """Returns the time to the first paint of each page in milliseconds, or nothing without a browser."""
    if not BROWSER.exists():
        return {}
    paths = [page.path for page in pages if not page.path.startswith("/v1/")]
    done = subprocess.run(
        [BROWSER, BENCHMARKS / "Drivers" / "paint.py", service.url, *paths],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"no first paints: {done.stderr}", file=sys.stderr)
        return {}
    return json.loads(done.stdout)

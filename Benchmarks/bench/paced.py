"""Sends requests at a given rate, and times their acknowledgements."""

import http.client
import statistics
import threading
import time
import urllib.parse

from .servers import Server, ServerError

CONNECTIONS = 16


def send(server: Server, bodies: list[bytes], rate: float, seconds: float) -> dict:
    """Returns p50 and p99 of the acknowledgement in ms, from the moment at which a request was due.

    Each connection sends its share of the requests. One that is late because of the previous response counts as
    waiting, so a slow server is not asked less often.
    """
    start = time.perf_counter() + 0.1
    count = int(rate * seconds)
    times: list[float] = []
    failures: list[Exception] = []

    def run(first: int):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc)
        try:
            for number in range(first, count, CONNECTIONS):
                due = start + number / rate
                time.sleep(max(due - time.perf_counter(), 0))
                _post(connection, bodies[number % len(bodies)])
                times.append(time.perf_counter() - due)
        except (OSError, http.client.HTTPException, ServerError) as failure:
            failures.append(failure)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(first,)) for first in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise ServerError(f"{len(failures)} connections failed, the first with: {failures[0]}")
    times.sort()
    return {"p50": statistics.median(times) * 1e3, "p99": times[len(times) * 99 // 100] * 1e3}


def _post(connection: http.client.HTTPConnection, body: bytes):
    connection.request("POST", "/v1/logs", body, {"Content-Type": "application/x-protobuf"})
    response = connection.getresponse()
    response.read()
    if response.status != 200:
        raise ServerError(f"a request was refused with {response.status}")

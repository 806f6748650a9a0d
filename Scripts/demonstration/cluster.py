"""Sends crashes to several nodes, kills one of them meanwhile, and waits until all crashes have arrived.

Arguments: the file of the backend, the process to kill, and the ports of the nodes.
"""
import json
import os
import signal
import sys
import time
import urllib.request

COUNT = 600
#: Time limit for all crashes to arrive, in seconds.
PATIENCE = 120

CRASH = "Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4/divide-by-zero.otlp.json"


def post(port, body):
    """Returns whether a node acknowledged a request."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/logs", body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30):
            return True
    except OSError:
        return False


def crash(number):
    with open(CRASH, encoding="utf-8") as file:
        request = json.load(file)
    record = request["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
    record["attributes"].append({"key": "demo.number", "value": {"intValue": str(number)}})
    return json.dumps(request).encode()


def arrivals(path):
    """Returns the status of each copy of each crash that the backend received."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            attributes = json.loads(line)["attributes"] if line.endswith("\n") else {}
            if "demo.number" in attributes:
                found.setdefault(attributes["demo.number"], []).append(
                    attributes.get("symbolist.status"))
    return found


def main(path, process, *ports):
    accepted = dict.fromkeys(ports, 0)
    for number in range(COUNT):
        if number == COUNT // 2:
            os.kill(int(process), signal.SIGKILL)
            print(f"node 2 is killed after {sum(accepted.values())} acknowledged crashes")
        # A client, or a load balancer, sends a request again that was not acknowledged.
        for attempt in range(len(ports)):
            port = ports[(number + attempt) % len(ports)]
            if post(port, crash(number)):
                accepted[port] += 1
                break
        else:
            sys.exit(f"crash {number}: no node accepts it")
    counts = ", ".join(f"{count} by node {index + 1}" for index, count in enumerate(accepted.values()))
    print(f"{COUNT} crashes acknowledged: {counts}")
    end = time.monotonic() + PATIENCE
    while len(found := arrivals(path)) < COUNT:
        if time.monotonic() > end:
            sys.exit(f"backend: has {len(found)} of {COUNT} crashes after {PATIENCE} s")
        time.sleep(0.2)
    readable = sum("symbolicated" in copies for copies in found.values())
    again = sum(len(copies) for copies in found.values()) - COUNT
    print(f"{len(found)} crashes received: 0 lost, {again} received again, {readable} symbolicated")


main(*sys.argv[1:])

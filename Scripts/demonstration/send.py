"""send.py HTTP GRPC FOLDER: sends each fixture in FOLDER over every protocol that accepts it.

Call stacks and complete payloads become the attribute `exception.stacktrace` of a log record, over
OTLP/HTTP as JSON and over OTLP/gRPC as protobuf. OTLP requests are sent unchanged. MetricKit payloads
are sent to /v1/metrickit as well, like a device does. Prints how many were sent over each protocol,
and the number of resulting records.
"""

import json
import pathlib
import sys
import urllib.request

import grpc

import wire

# One of the fixtures is a deep recursion.
sys.setrecursionlimit(5_000)
http, rpc, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
PAYLOADS = (".crash.json", ".hang.json", ".cpu-exception.json", ".payload.json", ".crash-ios14.json")
payload_records = 0
counts = {"OTLP/HTTP": 0, "OTLP/gRPC": 0, "/v1/metrickit": 0}


def post(path, body):
    request = urllib.request.Request(
        f"http://{http}{path}", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def pairs(name, text):
    return [("name", "metrickit.diagnostic.crash"), ("exception.stacktrace", text), ("demo.fixture", name),
            ("demo.way", "HTTP")]


def send_http(name, text):
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in pairs(name, text)]
    record = {"eventName": "metrickit.diagnostic.crash", "attributes": attributes}
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "Orchard"}}]}
    scope = {"scope": {"name": "MetricKit"}, "logRecords": [record]}
    post("/v1/logs", json.dumps({"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}).encode())
    counts["OTLP/HTTP"] += 1


def send_as_it_is(body):
    post("/v1/logs", body)
    counts["OTLP/HTTP"] += 1


channel = grpc.insecure_channel(rpc)
# Bytes in, bytes out: messages are encoded in wire.py.
export = channel.unary_unary(
    "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
    request_serializer=bytes, response_deserializer=bytes)


def send_grpc(name, text):
    attributes = pairs(name, text)[:-1] + [("demo.way", "gRPC")]
    export(wire.logs_request("Orchard", "metrickit.diagnostic.crash", attributes), timeout=60)
    counts["OTLP/gRPC"] += 1


for file in sorted(folder.glob("*/*")):
    # Skips expected results, and crash files, which are not telemetry.
    if not file.name.endswith(".json") or file.name.endswith(".expected.json"):
        continue
    name = f"{file.parent.name}/{file.name}"
    text = file.read_text(encoding="utf-8")
    if ".otlp" in file.name:
        send_as_it_is(text.encode())
    else:
        send_http(name, text)
        send_grpc(name, text)
    if file.name.endswith(PAYLOADS):
        post("/v1/metrickit", text.encode())
        counts["/v1/metrickit"] += 1
        payload_records += sum(
            len(diagnostics) for key, diagnostics in json.loads(text).items()
            if key.endswith("Diagnostics"))

print(", ".join(f"{count} over {way}" for way, count in counts.items()))
print(counts["OTLP/HTTP"] + counts["OTLP/gRPC"] + payload_records)

"""Reads requests with OpenTelemetry's own classes, and writes each of them again.

decode.py FILE: a line has the name of a message and its bytes in hexadecimal. Ends with 1 where one
is not read whole, or is written with other bytes.
"""

import sys

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

MODULES = (logs_service_pb2, trace_service_pb2, metrics_service_pb2)


def problem(name, data):
    message = next(getattr(m, name) for m in MODULES if hasattr(m, name))()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        return str(error)
    return None if message.SerializeToString() == data else "is written with other bytes"


def main(file):
    problems = 0
    for number, line in enumerate(open(file, encoding="ascii"), 1):
        name, *digits = line.split()
        found = problem(name, bytes.fromhex("".join(digits)))
        if found:
            problems += 1
            print(f"line {number}: {found}: {line.strip()}")
    sys.exit(1 if problems else 0)


main(*sys.argv[1:])

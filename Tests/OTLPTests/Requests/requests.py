"""Writes one request of each signal, in both encodings. Run it through `make`."""

from opentelemetry import trace
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.json.common import _log_encoder as json_logs
from opentelemetry.exporter.otlp.json.common import metrics_encoder as json_metrics
from opentelemetry.exporter.otlp.json.common import trace_encoder as json_trace
from opentelemetry.exporter.otlp.proto.common import _log_encoder as proto_logs
from opentelemetry.exporter.otlp.proto.common import metrics_encoder as proto_metrics
from opentelemetry.exporter.otlp.proto.common import trace_encoder as proto_trace
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.metrics import Exemplar
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, MetricsData,
    NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

TIME = 1_763_800_000_123_456_789
resource = Resource({"service.name": "Orchard", "service.version": "1.4.0", "cores": 6})
scope = InstrumentationScope("MetricKit", "0.0.1", "https://example.org/1.0", {"kept": True})


def context(span):
    return SpanContext(0x5B8EFFF798038103D269B633813FC60C, span, False, TraceFlags(1))


here = trace.set_span_in_context(trace.NonRecordingSpan(context(0xEEE19B7EC3C1B174)))
crash = LogRecord(
    timestamp=TIME,
    observed_timestamp=TIME + 1,
    context=here,
    severity_text="FATAL",
    severity_number=SeverityNumber.FATAL,
    body={"kind": "crash", "frames": [1, 2.5, "three", None], "raw": b"\x00\xff\x10"},
    event_name="metrickit.diagnostic.crash",
    attributes={
        "exception.stacktrace": '{"callStacks": [{"name": "Obst\u00e4pfel \U0001f34e"}]}',
        "exception.signal": 5,
        "address": 9_007_199_254_740_993,
        "negative": -9_223_372_036_854_775_808,
        "share": 0.1,
        "foreground": True,
        "names": ["Orchard", "OrchardKit"],
        "nested": {"list": [{"deep": {"er": [True, []]}}]},
        "empty": "",
    },
)
plain = LogRecord(timestamp=0, observed_timestamp=TIME, body="no diagnostic")
logs = [ReadableLogRecord(record, resource, instrumentation_scope=scope) for record in (crash, plain)]

span = ReadableSpan(
    name="launch",
    context=context(0xEEE19B7EC3C1B174),
    parent=context(0x0102030405060708),
    resource=resource,
    attributes={"metrickit.launch": 1.5},
    events=[Event("tick", {"n": 1}, TIME + 5)],
    links=[Link(context(0xA0A1A2A3A4A5A6A7), {"why": "hang"}), Link(context(0xB0B1B2B3B4B5B6B7))],
    kind=SpanKind.SERVER,
    status=Status(StatusCode.ERROR, "watchdog"),
    start_time=TIME,
    end_time=TIME + 10,
    instrumentation_scope=scope,
)

exemplar = Exemplar({"user": "x"}, 7, TIME, 0xEEE19B7EC3C1B174, 0x5B8EFFF798038103D269B633813FC60C)
number = NumberDataPoint({"cpu": 0}, TIME, TIME + 1, 3, [exemplar])
delta = AggregationTemporality.DELTA
metrics = MetricsData([ResourceMetrics(resource, [ScopeMetrics(scope, [
    Metric("threads", "how many", "1", Gauge([number])),
    Metric("hangs", "", "1", Sum([number], delta, True)),
    Metric("hang.time", "", "s", Histogram([
        HistogramDataPoint({}, TIME, TIME + 1, 3, 4.5, [1, 2, 0], [0.5, 1.0], 0.25, 3.0, [exemplar]),
    ], delta)),
], "")], "")])

requests = {
    "logs": (proto_logs.encode_logs(logs), json_logs.encode_logs(logs)),
    "trace": (proto_trace.encode_spans([span]), json_trace.encode_spans([span])),
    "metrics": (proto_metrics.encode_metrics(metrics), json_metrics.encode_metrics(metrics)),
}
for name, (protobuf, json) in requests.items():
    with open(f"{name}.pb", "wb") as file:
        file.write(protobuf.SerializeToString(deterministic=True))
    with open(f"{name}.json", "w", encoding="utf-8") as file:
        file.write(json.to_json() + "\n")

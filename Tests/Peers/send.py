"""An app with OpenTelemetry's Python SDK: logs, a crash, a span and a metric.

send.py WAY ENDPOINT STACK: WAY is `http` or `grpc`, STACK a file with the JSON of a call stack.
Ends with 1 where an exporter could not send.
"""

import logging
import pathlib
import sys
import time

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

LOG_COUNT = 100


class Complaints(logging.Handler):
    """Exporters tell of failures in the log alone."""

    count = 0

    def emit(self, record):
        Complaints.count += 1
        print(self.format(record), file=sys.stderr)


def exporters(way, endpoint):
    if way == "http":
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return (OTLPLogExporter(endpoint=f"{endpoint}/v1/logs"),
                OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces"),
                OTLPMetricExporter(endpoint=f"{endpoint}/v1/metrics"))
    from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    options = {"endpoint": endpoint, "insecure": True}
    return OTLPLogExporter(**options), OTLPSpanExporter(**options), OTLPMetricExporter(**options)


def record(body, attributes, event=None):
    return LogRecord(
        timestamp=time.time_ns(), severity_number=SeverityNumber.ERROR, severity_text="ERROR",
        body=body, attributes=attributes, event_name=event)


def main(way, endpoint, stack):
    logging.getLogger().addHandler(Complaints(level=logging.WARNING))
    resource = Resource.create({"service.name": f"orchard-{way}"})
    log_exporter, span_exporter, metric_exporter = exporters(way, endpoint)
    logs = LoggerProvider(resource=resource)
    logs.add_log_record_processor(BatchLogRecordProcessor(log_exporter))
    traces = TracerProvider(resource=resource)
    traces.add_span_processor(BatchSpanProcessor(span_exporter))
    metrics = MeterProvider([PeriodicExportingMetricReader(metric_exporter)], resource=resource)

    logger = logs.get_logger("peer")
    with traces.get_tracer("peer").start_as_current_span(f"{way} span") as span:
        print(format(span.get_span_context().trace_id, "032x"))
        for number in range(LOG_COUNT):
            logger.emit(record(f"{way} line {number}", {"number": number}))
        text = pathlib.Path(stack).read_text(encoding="utf-8")
        logger.emit(record(
            f"{way} crash", {"name": "metrickit.diagnostic.crash", "exception.stacktrace": text},
            event="metrickit.diagnostic.crash"))
    metrics.get_meter("peer").create_counter(f"{way}.counter").add(7)
    # Sends what is left.
    for provider in (logs, traces, metrics):
        provider.shutdown()
    sys.exit(1 if Complaints.count else 0)


main(*sys.argv[1:])

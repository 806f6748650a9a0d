"""An OTLP backend: HTTP by http.server, gRPC by grpcio, messages by OpenTelemetry's own classes.

Prints a line of JSON with its ports, then one for each record, span and metric that it gets.
"""

import gzip
import json
import sys
import threading
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2, logs_service_pb2_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

printing = threading.Lock()


def say(**line):
    with printing:
        print(json.dumps(line), flush=True)


def value(any_value):
    return getattr(any_value, any_value.WhichOneof("value") or "string_value")


def attributes(pairs):
    return {p.key: value(p.value) for p in pairs if p.value.WhichOneof("value") != "array_value"}


def take_logs(request, way):
    for resource in request.resource_logs:
        service = attributes(resource.resource.attributes).get("service.name")
        for scope in resource.scope_logs:
            for record in scope.log_records:
                say(signal="logs", way=way, service=service, scope=scope.scope.name,
                    body=record.body.string_value, event=record.event_name,
                    severity=record.severity_text, trace=record.trace_id.hex(),
                    attributes=attributes(record.attributes))


def take_traces(request, way):
    for resource in request.resource_spans:
        service = attributes(resource.resource.attributes).get("service.name")
        for scope in resource.scope_spans:
            for span in scope.spans:
                say(signal="traces", way=way, service=service, scope=scope.scope.name,
                    name=span.name, trace=span.trace_id.hex(),
                    nanoseconds=[span.start_time_unix_nano, span.end_time_unix_nano],
                    attributes=attributes(span.attributes))


def take_metrics(request, way):
    for resource in request.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                points = [point.as_int for point in metric.sum.data_points]
                say(signal="metrics", way=way, name=metric.name, points=points)


SIGNALS = {
    "/v1/logs": (logs_service_pb2.ExportLogsServiceRequest,
                 logs_service_pb2.ExportLogsServiceResponse, take_logs),
    "/v1/traces": (trace_service_pb2.ExportTraceServiceRequest,
                   trace_service_pb2.ExportTraceServiceResponse, take_traces),
    "/v1/metrics": (metrics_service_pb2.ExportMetricsServiceRequest,
                    metrics_service_pb2.ExportMetricsServiceResponse, take_metrics),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        request, response, take = SIGNALS[self.path]
        take(request.FromString(body), "http")
        answer = response().SerializeToString()
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def servicer(base, path):
    _, response, take = SIGNALS[path]

    class Servicer(base):
        def Export(self, request, context):
            take(request, "grpc")
            return response()

    return Servicer()


def main():
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    rpc = grpc.server(futures.ThreadPoolExecutor(4))
    logs_service_pb2_grpc.add_LogsServiceServicer_to_server(
        servicer(logs_service_pb2_grpc.LogsServiceServicer, "/v1/logs"), rpc)
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(
        servicer(trace_service_pb2_grpc.TraceServiceServicer, "/v1/traces"), rpc)
    metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(
        servicer(metrics_service_pb2_grpc.MetricsServiceServicer, "/v1/metrics"), rpc)
    rpc_port = rpc.add_insecure_port("127.0.0.1:0")
    rpc.start()
    say(http=http.server_address[1], grpc=rpc_port)
    try:
        http.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


main()

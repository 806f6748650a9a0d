// OTLP's names for its messages and services. The generated names start with those of their
// packages, `Opentelemetry_Proto_Collector_Logs_V1_`.

package typealias ExportLogsServiceRequest =
    Opentelemetry_Proto_Collector_Logs_V1_ExportLogsServiceRequest
package typealias ExportLogsServiceResponse =
    Opentelemetry_Proto_Collector_Logs_V1_ExportLogsServiceResponse
package typealias ExportTraceServiceRequest =
    Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest
package typealias ExportTraceServiceResponse =
    Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceResponse
package typealias ExportMetricsServiceRequest =
    Opentelemetry_Proto_Collector_Metrics_V1_ExportMetricsServiceRequest
package typealias ExportMetricsServiceResponse =
    Opentelemetry_Proto_Collector_Metrics_V1_ExportMetricsServiceResponse

/// The namespace of the client, `LogsService.Client`, and of the server's protocol,
/// `LogsService.SimpleServiceProtocol`.
package typealias LogsService = Opentelemetry_Proto_Collector_Logs_V1_LogsService
package typealias TraceService = Opentelemetry_Proto_Collector_Trace_V1_TraceService
package typealias MetricsService = Opentelemetry_Proto_Collector_Metrics_V1_MetricsService

package typealias Resource = Opentelemetry_Proto_Resource_V1_Resource
package typealias InstrumentationScope = Opentelemetry_Proto_Common_V1_InstrumentationScope
package typealias KeyValue = Opentelemetry_Proto_Common_V1_KeyValue
package typealias AnyValue = Opentelemetry_Proto_Common_V1_AnyValue

package typealias ResourceLogs = Opentelemetry_Proto_Logs_V1_ResourceLogs
package typealias ScopeLogs = Opentelemetry_Proto_Logs_V1_ScopeLogs
package typealias LogRecord = Opentelemetry_Proto_Logs_V1_LogRecord

package typealias ResourceSpans = Opentelemetry_Proto_Trace_V1_ResourceSpans
package typealias ScopeSpans = Opentelemetry_Proto_Trace_V1_ScopeSpans
package typealias Span = Opentelemetry_Proto_Trace_V1_Span

package typealias ResourceMetrics = Opentelemetry_Proto_Metrics_V1_ResourceMetrics
package typealias ScopeMetrics = Opentelemetry_Proto_Metrics_V1_ScopeMetrics
package typealias Metric = Opentelemetry_Proto_Metrics_V1_Metric
package typealias Exemplar = Opentelemetry_Proto_Metrics_V1_Exemplar

/// The body of an error on the OTLP paths of HTTP, with a gRPC code.
package typealias OTLPStatus = Google_Rpc_Status

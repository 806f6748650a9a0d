import Exporting
import Ingest
import Logging
import ServiceLifecycle
import Telemetry
import Tracing

/// Sends the service's own traces as OTLP over HTTP if the configuration has a URL for them.
struct SelfTracing: Service {
    private let export: TraceExporter

    private struct SendingFailed: Error, CustomStringConvertible {
        let description: String
    }

    /// Installs the tracer for the process. Call this once.
    init(url: String, logger: Logger) throws {
        var settings = ExporterSettings(kind: .otlpHTTP, name: "own-traces")
        // An exporter requires a URL for every signal, but only traces are sent.
        for signal in Signal.allCases { settings.signalURLs[signal] = url }
        let exporter = try settings.exporter(key: "tracing")
        let tracer = BatchingTracer()
        InstrumentationSystem.bootstrap(tracer)
        export = TraceExporter(
            tracer, resource: ["service.name": "symbolist"], logger: logger
        ) { body in
            let batch = ExportBatch(signal: .traces, body: body, recordCount: 1)
            switch await exporter.send(batch) {
            case .accepted: return
            case .retry(let reason, _), .timedOut(let reason), .refused(let reason, _, _):
                throw SendingFailed(description: reason)
            }
        }
    }

    func run() async { await export.run() }
}

import Exporting
import Ingest
import Logging
import ServiceLifecycle
import Telemetry
import Tracing

/// The service's own traces, sent by OTLP over HTTP where the configuration names a place for them.
struct OwnTraces: Service {
    private let export: TraceExport

    private struct NotTaken: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes every span of the process one of these. To be called once.
    init(url: String, logger: Logger) throws {
        var settings = ExporterSettings(kind: .otlpHTTP, name: "own-traces")
        // An exporter has an address for every signal; only traces are sent.
        for signal in [Signal.logs, .traces, .metrics] { settings.signalURLs[signal] = url }
        let exporter = try settings.exporter(key: "tracing")
        let tracer = BatchingTracer()
        InstrumentationSystem.bootstrap(tracer)
        export = TraceExport(
            tracer, resource: ["service.name": "symbolist"], logger: logger
        ) { body in
            let batch = ExportBatch(signal: .traces, body: body, recordCount: 1)
            switch await exporter.send(batch) {
            case .taken: return
            case .retry(let reason, _), .refused(let reason, _, _):
                throw NotTaken(description: reason)
            }
        }
    }

    func run() async { await export.run() }
}

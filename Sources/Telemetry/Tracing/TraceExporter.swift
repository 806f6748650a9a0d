import Instrumentation
public import Logging
import OTLP
public import ServiceLifecycle

/// Sends the spans of a tracer in batches, and those that remain when the service stops.
///
/// Each batch is tried once, because traces are not worth storing for a retry.
public struct TraceExporter: Sendable {
    /// The maximum number of spans in a batch.
    static let batchCount = 512
    private static let pause = Duration.seconds(5)

    private let tracer: BatchingTracer
    private let resource: [String: String]
    private let logger: Logger
    private let send: @Sendable (_ body: [UInt8]) async throws -> Void

    /// - Parameters:
    ///   - resource: Attributes of the service: `service.name`, `service.version`.
    ///   - send: Posts an `ExportTraceServiceRequest` in protobuf. Spans started in it are not
    ///     recorded.
    public init(
        _ tracer: BatchingTracer, resource: [String: String], logger: Logger,
        send: @escaping @Sendable (_ body: [UInt8]) async throws -> Void
    ) {
        self.tracer = tracer
        self.resource = resource
        self.logger = logger
        self.send = send
    }

    /// Sends the waiting spans.
    func flush() async {
        let (spans, droppedCount) = tracer.queue.take()
        if droppedCount > 0 {
            logger.warning("traces: \(droppedCount) spans dropped: the queue was full")
        }
        var context = InstrumentationContext.current ?? .topLevel
        context.isTracingSuppressed = true
        await InstrumentationContext.withValue(context) {
            for start in stride(from: 0, to: spans.count, by: Self.batchCount) {
                await send(spans[start..<min(start + Self.batchCount, spans.count)])
            }
        }
    }

    private func send(_ spans: ArraySlice<FinishedSpan>) async {
        do {
            let request = ExportTraceServiceRequest(spans, resource: resource)
            try await send(request.encoded(as: .protobuf))
        } catch {
            logger.warning("traces: \(spans.count) spans not sent: \(error)")
        }
    }
}

extension TraceExporter: Service {
    public func run() async {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            // Ends early when the service stops, which is not an error.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pause) }
            await flush()
        }
        // Spans may have ended while others were sent.
        await flush()
    }
}

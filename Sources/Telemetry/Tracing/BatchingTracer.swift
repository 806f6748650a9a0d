public import Instrumentation
public import Tracing

/// A tracer for swift-distributed-tracing whose spans wait in a bounded queue until
/// ``TraceExporter`` sends them.
///
/// A new trace is sampled. A trace continued from a header is sampled if the caller's is.
public struct BatchingTracer: Tracer {
    private static let header = "traceparent"

    let queue = SpanQueue()

    public init() {}

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> RecordingSpan {
        var context = context()
        let parent = context.spanContext
        var spanContext = parent?.child() ?? .root()
        if context.isTracingSuppressed { spanContext.isSampled = false }
        context.spanContext = spanContext
        let start = SpanStart(
            spanContext: spanContext, parent: parent?.spanID ?? [], kind: kind,
            nanoseconds: instant().nanosecondsSinceEpoch)
        return RecordingSpan(operationName, start, context: context, queue: queue)
    }

    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let header = extractor.extract(key: Self.header, from: carrier)
        context.spanContext = header.flatMap(SpanContext.init(header:))
    }

    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let spanContext = context.spanContext else { return }
        injector.inject(spanContext.header, forKey: Self.header, into: &carrier)
    }

    /// Does nothing: a batch is lost only in a crash, and flushing cannot wait for the network.
    public func forceFlush() {}
}

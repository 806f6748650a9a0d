public import Instrumentation
public import Tracing

/// A tracer of swift-distributed-tracing whose spans wait in a bounded queue until ``TraceExport``
/// sends them.
///
/// A trace that begins here is sampled; one that comes with a header is if its caller says so.
public struct BatchingTracer: Tracer {
    private static let header = "traceparent"

    let queue = SpanQueue()

    public init() {}

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context.spanIdentity
        var identity = parent?.child() ?? .root(isSampled: true)
        if context.isTracingSuppressed { identity.isSampled = false }
        context.spanIdentity = identity
        let start = SpanStart(
            identity: identity, parent: parent?.span ?? [], kind: kind,
            nanoseconds: instant().nanosecondsSinceEpoch)
        return RecordedSpan(operationName, start, context: context, queue: queue)
    }

    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let header = extractor.extract(key: Self.header, from: carrier)
        context.spanIdentity = header.flatMap(SpanIdentity.init(header:))
    }

    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let identity = context.spanIdentity else { return }
        injector.inject(identity.header, forKey: Self.header, into: &carrier)
    }

    /// Nothing: what a batch is lost with is a crash, and a flush cannot wait for the network.
    public func forceFlush() {}
}

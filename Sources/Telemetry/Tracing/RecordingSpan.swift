import Instrumentation
import Synchronization
public import Tracing

/// The properties of a span that are known at its start.
struct SpanStart: Sendable {
    var spanContext: SpanContext
    /// The span ID of its parent, or nothing.
    var parent: [UInt8]
    var kind: SpanKind
    /// The start time, in nanoseconds since 1970.
    var nanoseconds: UInt64
}

/// A span that has ended.
struct FinishedSpan: Sendable {
    var start: SpanStart
    var state: SpanState
    var endNanoseconds: UInt64
}

/// The changing state of a span.
struct SpanState: Sendable {
    /// The maximum number of attributes, events and links each. Further ones are counted as
    /// dropped.
    static let partLimit = 128

    var name: String
    var attributes = SpanAttributes()
    var events: [SpanEvent] = []
    var links: [SpanLink] = []
    var status: SpanStatus?
    var droppedEvents: UInt32 = 0
    var droppedLinks: UInt32 = 0
    var hasEnded = false
}

/// A span that is added to its tracer's queue when it ends. A span that is not sampled records
/// nothing.
public final class RecordingSpan: Tracing.Span {
    public let context: InstrumentationContext

    private let start: SpanStart
    private let queue: SpanQueue
    private let state: Mutex<SpanState>

    init(
        _ name: String, _ start: SpanStart, context: InstrumentationContext, queue: SpanQueue
    ) {
        self.context = context
        self.start = start
        self.queue = queue
        state = Mutex(SpanState(name: name))
    }

    public var isRecording: Bool {
        start.spanContext.isSampled && state.withLock { !$0.hasEnded }
    }

    public var operationName: String {
        get { state.withLock { $0.name } }
        set { record { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { record { $0.attributes = newValue } }
    }

    public func setStatus(_ status: SpanStatus) { record { $0.status = status } }

    public func addEvent(_ event: SpanEvent) {
        record { state in
            guard state.events.count < SpanState.partLimit else { return state.droppedEvents += 1 }
            state.events.append(event)
        }
    }

    public func addLink(_ link: SpanLink) {
        record { state in
            guard state.links.count < SpanState.partLimit else { return state.droppedLinks += 1 }
            state.links.append(link)
        }
    }

    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var all = attributes
        all.set("exception.type", value: .string("\(type(of: error))"))
        all.set("exception.message", value: .string("\(error)"))
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: all))
    }

    /// Ends the span. Later changes, including another end, have no effect.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let nanoseconds = instant().nanosecondsSinceEpoch
        var ended: SpanState?
        record { state in
            state.hasEnded = true
            ended = state
        }
        guard let ended else { return }
        queue.add(FinishedSpan(start: start, state: ended, endNanoseconds: nanoseconds))
    }

    private func record(_ change: (inout SpanState) -> Void) {
        guard start.spanContext.isSampled else { return }
        state.withLock { state in
            if !state.hasEnded { change(&state) }
        }
    }
}

import Instrumentation
import Synchronization
public import Tracing

/// What is known of a span from the beginning.
struct SpanStart: Sendable {
    var identity: SpanIdentity
    /// The span id of its parent, or nothing.
    var parent: [UInt8]
    var kind: SpanKind
    /// Since 1970.
    var nanoseconds: UInt64
}

/// A span that is over.
struct FinishedSpan: Sendable {
    var start: SpanStart
    var story: SpanStory
    var endNanoseconds: UInt64
}

/// What happened in a span so far.
struct SpanStory: Sendable {
    /// How many attributes, events and links a span keeps of each. What comes beyond is counted.
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

/// A span that goes to the queue of its tracer when it ends. One that nobody wants to see records
/// nothing.
public final class RecordedSpan: Tracing.Span {
    public let context: InstrumentationContext

    private let start: SpanStart
    private let queue: SpanQueue
    private let story: Mutex<SpanStory>

    init(
        _ name: String, _ start: SpanStart, context: InstrumentationContext, queue: SpanQueue
    ) {
        self.context = context
        self.start = start
        self.queue = queue
        story = Mutex(SpanStory(name: name))
    }

    public var isRecording: Bool {
        start.identity.isSampled && story.withLock { !$0.hasEnded }
    }

    public var operationName: String {
        get { story.withLock { $0.name } }
        set { record { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { story.withLock { $0.attributes } }
        set { record { $0.attributes = newValue } }
    }

    public func setStatus(_ status: SpanStatus) { record { $0.status = status } }

    public func addEvent(_ event: SpanEvent) {
        record { story in
            guard story.events.count < SpanStory.partLimit else { return story.droppedEvents += 1 }
            story.events.append(event)
        }
    }

    public func addLink(_ link: SpanLink) {
        record { story in
            guard story.links.count < SpanStory.partLimit else { return story.droppedLinks += 1 }
            story.links.append(link)
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

    /// Ends the span. What comes later, a second end included, changes nothing.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let nanoseconds = instant().nanosecondsSinceEpoch
        var ended: SpanStory?
        record { story in
            story.hasEnded = true
            ended = story
        }
        guard let ended else { return }
        queue.add(FinishedSpan(start: start, story: ended, endNanoseconds: nanoseconds))
    }

    private func record(_ change: (inout SpanStory) -> Void) {
        guard start.identity.isSampled else { return }
        story.withLock { story in
            if !story.hasEnded { change(&story) }
        }
    }
}

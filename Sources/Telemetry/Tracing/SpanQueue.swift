import Synchronization

/// Spans waiting to be sent. At its limit the queue drops new spans, because traces are samples
/// anyway and the traced work is more important.
final class SpanQueue: Sendable {
    static let limit = 4_096

    private struct Waiting {
        var spans: [FinishedSpan] = []
        var droppedCount = 0
    }

    private let waiting = Mutex(Waiting())

    func add(_ span: FinishedSpan) {
        waiting.withLock { waiting in
            if waiting.spans.count < Self.limit {
                waiting.spans.append(span)
            } else {
                waiting.droppedCount += 1
            }
        }
    }

    /// Removes and returns the waiting spans, with the number of spans dropped since the last call.
    func take() -> (spans: [FinishedSpan], droppedCount: Int) {
        waiting.withLock { waiting in
            let taken = (waiting.spans, waiting.droppedCount)
            waiting = Waiting()
            return taken
        }
    }
}

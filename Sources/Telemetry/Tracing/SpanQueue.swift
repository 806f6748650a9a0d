import Synchronization

/// Spans that wait to be sent. At its limit it leaves new ones out: traces are samples anyway, and
/// what is traced goes before them.
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

    /// Takes all that wait, and tells how many there was no room for since the last time.
    func take() -> (spans: [FinishedSpan], droppedCount: Int) {
        waiting.withLock { waiting in
            let taken = (waiting.spans, waiting.droppedCount)
            waiting = Waiting()
            return taken
        }
    }
}

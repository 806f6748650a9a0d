import CallStacks
import Metrics

/// What operators see of the look-ups, whichever way a diagnostic came in.
struct SymbolicationMetrics: Sendable {
    private let time = Metrics.Timer(label: "symbolist_symbolication_seconds")
    private let frames: [FrameStatus: Counter]

    init() {
        frames = Dictionary(
            uniqueKeysWithValues: FrameStatus.allCases.map { status in
                (
                    status,
                    Counter(
                        label: "symbolist_frames_total", dimensions: [("status", status.rawValue)])
                )
            })
    }

    /// - Parameter start: When its symbols were asked for.
    func count(_ answer: SymbolicatedDiagnostic, since start: ContinuousClock.Instant) {
        time.record(duration: start.duration(to: .now))
        var counts: [FrameStatus: Int] = [:]
        for row in answer.frames.indices where !answer.frames[row].isInlined {
            counts[answer.frames[row].status, default: 0] += 1
        }
        for (status, count) in counts { frames[status]?.increment(by: count) }
    }
}

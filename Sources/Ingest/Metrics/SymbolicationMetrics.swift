import CallStacks
import Metrics

/// The duration of symbolication and the number of frames by status, for all sources of
/// diagnostics.
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

    /// - Parameter start: The time before its symbols were requested.
    func count(_ diagnostic: SymbolicatedDiagnostic, since start: ContinuousClock.Instant) {
        time.record(duration: start.duration(to: .now))
        var counts: [FrameStatus: Int] = [:]
        for frame in diagnostic.frames where !frame.isInlined {
            counts[frame.status, default: 0] += 1
        }
        for (status, count) in counts { frames[status]?.increment(by: count) }
    }
}

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
        // Searched in order, because a diagnostic has two or three different ones.
        var counts: [(status: FrameStatus, count: Int)] = []
        // Reads frames by index, because copying a frame is more expensive.
        for row in diagnostic.frames.indices where !diagnostic.frames[row].isInlined {
            let status = diagnostic.frames[row].status
            if let known = counts.firstIndex(where: { $0.status == status }) {
                counts[known].count += 1
            } else {
                counts.append((status, 1))
            }
        }
        for (status, count) in counts { frames[status]?.increment(by: count) }
    }
}

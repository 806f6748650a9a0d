import Ingest
import Logging
import Metrics
import ObjectStorage
import Problems
import ServiceLifecycle
import SharedDatabase
import SharedStorage

/// Archives the entries of a lane until the service stops.
struct Archiving: Service {
    let writer: ArchiveWriter
    let lane: LaneNumber
    /// Whether the lane was adopted. Nothing is appended to such a lane, so waiting for more
    /// entries is useless.
    let isAdopted: Bool
    let logger: Logger
    private let archived = Counter(label: "symbolist_archived_entries_total")
    private let leftOut = Counter(label: "symbolist_archive_left_out_total")

    private static let pause = Duration.seconds(1)
    /// The pause after a failure, for which the bucket's client has already made its retries.
    private static let failurePause = Duration.seconds(5)
    /// The time for the last object when the service stops.
    private static let lastStepLimit = Duration.seconds(5)

    init(writer: ArchiveWriter, lane: LaneNumber, isAdopted: Bool, logger: Logger) {
        self.writer = writer
        self.lane = lane
        self.isAdopted = isAdopted
        self.logger = logger
    }

    func run() async {
        var isFailing = false
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            do {
                let step = try await writer.step(isFlushing: isAdopted)
                if isFailing, step != .waiting {
                    logger.notice("archive: lane \(lane.rawValue): continues")
                    isFailing = false
                }
                record(step)
                if step == .waiting { await pause(Self.pause) }
            } catch {
                guard !Task.isCancelled else { return }
                if !isFailing {
                    logger.error(
                        """
                        archive: lane \(lane.rawValue): requests of diagnostics stay in the \
                        database: \(Problem(error))
                        """)
                    isFailing = true
                }
                await pause(Self.failurePause)
            }
        }
        if !isFailing, !Task.isCancelled { await finish() }
    }

    /// Archives the waiting entries, so that no other node has to adopt the lane for them.
    private func finish() async {
        _ = try? await withTimeLimit(Self.lastStepLimit) { [writer] in
            try await writer.step(isFlushing: true)
        }
    }

    private func record(_ step: ArchiveStep) {
        switch step {
        case .waiting: return
        case .archived(let count): archived.increment(by: count)
        case .skipped(let count):
            leftOut.increment(by: Int(clamping: count))
            logger.error(
                """
                archive: lane \(lane.rawValue): \(count) requests of diagnostics left out, \
                because more than archive.lag_bytes wait: check the bucket of blobs.url
                """)
        }
    }

    private func pause(_ duration: Duration) async {
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
    }
}

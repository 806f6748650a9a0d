public import CallStacks
import Synchronization

/// The outcomes of each exporter's last requests since startup, in memory.
public final class ExporterStatusBoard: Sendable {
    /// The state of one exporter.
    public struct Status: Hashable, Sendable {
        /// The number of requests that were refused or failed since one of the same signal was
        /// accepted; 0 if all are accepted.
        public var failedAttempts = 0
        public var lastError: String?
        public var lastErrorTime: UnixTime?
        public var lastSuccess: UnixTime?

        public init() {}
    }

    private struct Record {
        var status = Status()
        var failedAttempts: [Signal: Int] = [:]
    }

    private let records = Mutex<[String: Record]>([:])

    public init() {}

    public func status(of exporter: String) -> Status {
        records.withLock { $0[exporter]?.status ?? Status() }
    }

    func record(_ outcome: ExportOutcome, of signal: Signal, by exporter: String, at time: UnixTime)
    {
        records.withLock { records in
            var record = records[exporter] ?? Record()
            switch outcome {
            case .accepted:
                record.failedAttempts[signal] = nil
                record.status.lastSuccess = time
            case .retry(let reason, _), .timedOut(let reason), .refused(let reason, _, _):
                record.failedAttempts[signal, default: 0] += 1
                record.status.lastError = reason
                record.status.lastErrorTime = time
            }
            record.status.failedAttempts = record.failedAttempts.values.max() ?? 0
            records[exporter] = record
        }
    }
}

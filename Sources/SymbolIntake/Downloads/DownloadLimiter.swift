import Problems
import Synchronization

/// Limits concurrent downloads of stored files, because each needs the memory of a decompressor and,
/// with several nodes, space for a copy of the file.
public final class DownloadLimiter: Sendable {
    /// A slot for a download, which is free again when this object is released.
    public final class Slot: Sendable {
        private let limiter: DownloadLimiter

        fileprivate init(_ limiter: DownloadLimiter) { self.limiter = limiter }

        deinit { limiter.count.withLock { $0 -= 1 } }
    }

    /// The maximum number of concurrent downloads.
    static let limit = 64
    /// The maximum time to wait for another download to end. Some clients treat an error as a miss.
    private static let waitLimit = Duration.seconds(30)
    private static let waitPause = Duration.milliseconds(50)

    private let count = Mutex(0)

    public init() {}

    /// - Throws: ``StorageError`` if no download ends in time.
    public func slot() async throws -> Slot {
        let deadline = ContinuousClock.now + Self.waitLimit
        while !isAdmitted() {
            guard ContinuousClock.now < deadline else {
                throw StorageError(
                    Problem(
                        "downloads", detail: "\(Self.limit) are in progress, the limit",
                        suggestion: "send again later"))
            }
            try await Task.sleep(for: Self.waitPause)
        }
        return Slot(self)
    }

    private func isAdmitted() -> Bool {
        count.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
    }
}

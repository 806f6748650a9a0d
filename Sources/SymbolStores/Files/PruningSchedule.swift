import Synchronization

/// Decides when a process prunes a cache, which reads the whole folder.
///
/// Pruning after each of thousands of files would take longer than building them. So a cache may
/// exceed its limit by the bytes that a process adds before it prunes again.
final class PruningSchedule: Sendable {
    private let bytesUntilPruning = Mutex<Int64>(0)
    private let interval: Int64

    /// - Parameter interval: The bytes after which to prune again.
    init(interval: Int64) { self.interval = interval }

    /// Records an added file.
    ///
    /// - Returns: Whether to prune: after the first file, and after each interval.
    func isDue(adding bytes: Int64) -> Bool {
        bytesUntilPruning.withLock { left in
            left -= bytes
            guard left < 0 else { return false }
            left = interval
            return true
        }
    }
}

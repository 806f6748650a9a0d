import Glibc
import SymbolIntake
import Synchronization

/// Keeps enough disk space free to deliver and remove stored entries.
///
/// Removing entries needs space as well: changed pages go to the write-ahead log first, and the
/// file shrinks last. So appends are rejected while the disk is nearly full, and a reserve file is
/// released if other programs fill the disk.
final class DatabaseSpace: Sendable {
    let limits: DatabaseLimits
    private let folder: String
    private let space: FreeSpace
    private let reserve: ReserveFile
    /// The bytes of appends in progress.
    private let appending = Mutex<Int64>(0)
    private let latest = Mutex<Reading?>(nil)

    /// The free bytes of the disk at some time.
    private struct Reading {
        let time: ContinuousClock.Instant
        let freeBytes: Int64?
    }

    /// The time for which a measurement that showed enough space is reused. Each request needs it
    /// several times, and querying the system is expensive.
    private static let readingTime = Duration.milliseconds(5)

    /// An append is written twice, to the log and to the database.
    private static let copies: Int64 = 2
    /// The rows of a diagnostic, with their indexes, need a few times the space of a small entry.
    private static let rowFactor: Int64 = 4

    init(folder: String, leastFreeBytes: Int64?) {
        let disk = Disk(folder: folder)
        self.folder = folder
        limits = DatabaseLimits(diskBytes: disk.byteCount)
        space = FreeSpace(disk, leastBytes: leastFreeBytes)
        reserve = ReserveFile(path: "\(folder)/reserve", byteCount: limits.reserveBytes)
    }

    /// Checks the space like ``take(_:unprocessedBytes:)``, for an append of zero bytes.
    ///
    /// - Throws: `DatabaseProblem` if appends are refused.
    func check(unprocessedBytes: Int64) throws(DatabaseProblem) {
        try check(appending: appending.withLock { $0 }, unprocessedBytes: unprocessedBytes)
    }

    /// Reserves space for an append.
    ///
    /// - Parameter unprocessedBytes: The size of entries whose diagnostics are not stored yet.
    /// - Throws: `DatabaseProblem` if there is not enough space.
    func take(_ bytes: Int64, unprocessedBytes: Int64) throws(DatabaseProblem) {
        let all = appending.withLock { appending in
            appending += bytes
            return appending
        }
        do throws(DatabaseProblem) {
            try check(appending: all, unprocessedBytes: unprocessedBytes)
        } catch {
            release(bytes)
            throw error
        }
    }

    func release(_ bytes: Int64) { appending.withLock { $0 -= bytes } }

    private func check(appending bytes: Int64, unprocessedBytes: Int64) throws(DatabaseProblem) {
        let needed = bytes * Self.copies + unprocessedBytes * Self.rowFactor
        guard space.isShort(for: needed, having: latestFreeBytes), space.isShort(for: needed)
        else { return }
        throw DatabaseProblem.full(folder)
    }

    private var latestFreeBytes: Int64? {
        latest.withLock { latest in
            let now = ContinuousClock.now
            if let latest, latest.time.duration(to: now) < Self.readingTime {
                return latest.freeBytes
            }
            let free = space.freeBytes
            latest = Reading(time: now, freeBytes: free)
            return free
        }
    }

    /// Whether entries that are no longer needed must be removed urgently.
    var isScarce: Bool { isScarce(reusing: 0) }

    /// - Parameter bytes: The size of free pages inside the database.
    func isScarce(reusing bytes: Int64) -> Bool { space.isShort(for: space.leastBytes - bytes) }

    /// Releases the reserve if the disk is too full for SQLite to create its files.
    func makeRoomForOpening() {
        if let free = space.freeBytes, free < limits.reserveBytes { reserve.release() }
    }

    /// Whether the reserve is released, because the disk is or was full.
    var usesReserve: Bool { !reserve.isAllocated }

    /// - Returns: Whether anything was released.
    func releaseReserve() -> Bool { reserve.release() }

    /// Allocates a missing reserve if there is space for it.
    func regainReserve() {
        if !reserve.isAllocated, !space.isShort(for: limits.reserveBytes) { reserve.regain() }
    }
}

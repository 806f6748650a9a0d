import Glibc
import SymbolIntake
import Synchronization

/// Keeps enough of the disk free for the database to deliver and remove what it holds.
///
/// Removing needs space as well: pages go into the write-ahead log first, and the file shrinks last. So
/// appends are refused while the disk is nearly full, and a reserve file is released when it is full
/// in spite of that, because other programs have filled it.
final class DatabaseSpace: Sendable {
    let bounds: DatabaseBounds
    private let folder: String
    private let space: FreeSpace
    private let reserve: ReserveFile
    /// Bytes of appends that are on their way.
    private let appending = Mutex<Int64>(0)

    /// An append is written twice, to the log and to the database.
    private static let copies: Int64 = 2
    /// The rows of a diagnostic, with their indexes, take a few times the space of a small entry.
    private static let rowFactor: Int64 = 4

    init(folder: String, leastFreeBytes: Int64?) {
        let disk = Disk(folder: folder)
        self.folder = folder
        bounds = DatabaseBounds(diskBytes: disk.byteCount)
        space = FreeSpace(disk, leastBytes: leastFreeBytes)
        reserve = ReserveFile(path: "\(folder)/reserve", byteCount: bounds.reserveBytes)
    }

    /// Checks what ``take(_:unworkedBytes:)`` would, for an append of no size.
    ///
    /// - Throws: If appends are refused.
    func check(unworkedBytes: Int64) throws(DatabaseProblem) {
        try check(appending: appending.withLock { $0 }, unworkedBytes: unworkedBytes)
    }

    /// Takes space for an append.
    ///
    /// - Parameter unworkedBytes: The entries that the worker has still to find diagnostics in.
    /// - Throws: If there is not enough.
    func take(_ bytes: Int64, unworkedBytes: Int64) throws(DatabaseProblem) {
        let all = appending.withLock { appending in
            appending += bytes
            return appending
        }
        do throws(DatabaseProblem) {
            try check(appending: all, unworkedBytes: unworkedBytes)
        } catch {
            giveBack(bytes)
            throw error
        }
    }

    func giveBack(_ bytes: Int64) { appending.withLock { $0 -= bytes } }

    private func check(appending bytes: Int64, unworkedBytes: Int64) throws(DatabaseProblem) {
        let needed = bytes * Self.copies + unworkedBytes * Self.rowFactor
        guard space.isShort(for: needed) else { return }
        throw DatabaseProblem.full(folder)
    }

    /// Whether so little is free that removing what is no longer needed cannot wait.
    var isScarce: Bool { isScarce(reusing: 0) }

    /// - Parameter bytes: What is free inside the database.
    func isScarce(reusing bytes: Int64) -> Bool { space.isShort(for: space.leastBytes - bytes) }

    /// Releases the reserve where the disk is too full for SQLite to make its files.
    func makeRoomForOpening() {
        if let free = space.freeBytes, free < bounds.reserveBytes { reserve.release() }
    }

    /// - Returns: Whether anything was released.
    func releaseReserve() -> Bool { reserve.release() }

    /// Makes the reserve where it is missing, as soon as there is space for it.
    func regainReserve() {
        if !reserve.isHeld, !space.isShort(for: bounds.reserveBytes) { reserve.regain() }
    }
}

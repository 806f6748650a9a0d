import CallStacks
import Crypto
import Foundation
import SymbolStores
import Synchronization

/// The chunks of files that clients upload in pieces: `chunks/SENDER/SHA-1`.
///
/// Chunks survive a restart, so that an interrupted upload resumes where it stopped.
public final class ChunkStore: Sendable {
    typealias Key = ChunkInventory.Key

    /// The maximum size of a chunk after decompression, in bytes.
    public static let chunkBytesLimit = 8 << 20

    private let folders: DataFolders
    private let space: FreeSpace
    private let inventory = Mutex(ChunkInventory())

    init(folders: DataFolders, space: FreeSpace) {
        self.folders = folders
        self.space = space
    }

    /// Finds the chunks of an earlier run. Other files are ignored.
    func prepare(at now: UnixTime = .now()) throws {
        for name in try folderEntries(of: folders.chunks) {
            guard let sender = ChunkSender(folderName: name) else { continue }
            for file in try folderEntries(of: "\(folders.chunks)/\(name)") {
                guard let checksum = SHA1Checksum(file) else { continue }
                let key = Key(sender: sender, checksum: checksum)
                let size = try FileStatus(of: path(of: key)).size
                inventory.withLock { $0.add(key, byteCount: size, at: now) }
            }
        }
    }

    /// Starts receiving a chunk. Pass the draft to ``keep(_:as:from:limit:)`` or ``discard(_:)``.
    public func draft(isCompressed: Bool) throws -> ChunkDraft {
        try space.check(for: Int64(Self.chunkBytesLimit))
        return try ChunkDraft(
            at: folders.newIncomingPath(), isCompressed: isCompressed,
            byteLimit: Self.chunkBytesLimit)
    }

    public func discard(_ draft: consuming ChunkDraft) { folders.remove(draft.path) }

    /// Stores a received chunk.
    ///
    /// - Parameter limit: The limit for all chunks together, in bytes.
    /// - Throws: ``ChunkError`` if the chunk does not match its checksum, or if there is no room
    ///   for it.
    public func keep(
        _ draft: borrowing ChunkDraft, as checksum: SHA1Checksum, from sender: ChunkSender,
        limit: Int64
    ) throws {
        defer { folders.remove(draft.path) }
        try draft.finish(as: checksum)
        let key = Key(sender: sender, checksum: checksum)
        if inventory.withLock({ $0.touch(key, at: .now()) }) { return }
        try makeRoom(for: draft.byteCount, limit: limit)
        try DataFolders.make("\(folders.chunks)/\(sender.folderName)")
        try move(draft.path, to: path(of: key))
        let size = draft.byteCount
        inventory.withLock { $0.add(key, byteCount: size, at: .now()) }
    }

    /// Returns the distinct chunks that are not stored, and extends the lifetime of the others.
    public func missing(
        among checksums: [SHA1Checksum], from sender: ChunkSender
    ) -> [SHA1Checksum] {
        var seen: Set<SHA1Checksum> = []
        return inventory.withLock { inventory in
            let now = UnixTime.now()
            return checksums.filter { checksum in
                let isStored = inventory.touch(
                    Key(sender: sender, checksum: checksum), at: now)
                return !isStored && seen.insert(checksum).inserted
            }
        }
    }

    /// Removes chunks that were not used during their lifetime.
    func removeExpired(at now: UnixTime = .now()) {
        remove(inventory.withLock { $0.removeExpired(at: now) })
    }

    private func makeRoom(for bytes: Int64, limit: Int64) throws {
        let isShort = { self.inventory.withLock { $0.byteCount } + bytes > limit }
        if isShort() { remove(inventory.withLock { $0.removeSpent() }) }
        if isShort() { throw ChunkError.noRoom(limit: limit) }
    }

    /// Removes files of chunks that are no longer in the inventory.
    private func remove(_ keys: [Key]) { for key in keys { folders.remove(path(of: key)) } }

    private func path(of key: Key) -> String {
        "\(folders.chunks)/\(key.sender.folderName)/\(key.checksum.text)"
    }
}

extension ChunkStore {
    /// Keeps chunks until ``unpin(_:from:isSpent:)``.
    func pin(_ checksums: [SHA1Checksum], from sender: ChunkSender) {
        inventory.withLock { $0.pin(checksums.map { Key(sender: sender, checksum: $0) }) }
    }

    /// - Parameter isSpent: Whether their file is complete.
    func unpin(_ checksums: [SHA1Checksum], from sender: ChunkSender, isSpent: Bool) {
        let keys = checksums.map { Key(sender: sender, checksum: $0) }
        inventory.withLock { $0.unpin(keys, isSpent: isSpent) }
    }

    /// Removes chunks at once, so that a client sends them again.
    func remove(_ checksums: [SHA1Checksum], from sender: ChunkSender) {
        let keys = checksums.map { Key(sender: sender, checksum: $0) }
        inventory.withLock { $0.remove(keys) }
        remove(keys)
    }

    /// Joins chunks into a file.
    ///
    /// - Returns: The checksum of the file.
    func join(
        _ checksums: [SHA1Checksum], from sender: ChunkSender, to target: String
    ) async throws -> SHA1Checksum {
        var hash = Insecure.SHA1()
        var file = try DurableFileWriter(at: target)
        for checksum in checksums {
            try readPieces(of: path(of: Key(sender: sender, checksum: checksum))) { piece in
                unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
                try file.write(piece)
            }
            // Yields, so that a file of gigabytes does not block other requests.
            await Task.yield()
        }
        return SHA1Checksum(digest: hash.finalize())
    }
}

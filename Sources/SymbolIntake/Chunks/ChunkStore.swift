import CallStacks
import Crypto
import Foundation
import SymbolStores
import Synchronization

/// The chunks of files that clients upload in pieces: `chunks/SENDER/SHA-1`.
///
/// Chunks survive a restart, so that an interrupted upload resumes where it stopped. With several
/// nodes, each may receive some of the chunks of a file: chunks are shared before they are
/// acknowledged, and the folder contains those that this node received.
public final class ChunkStore: Sendable {
    typealias Key = ChunkInventory.Key

    /// The maximum size of a chunk after decompression, in bytes.
    public static let chunkBytesLimit = 8 << 20

    private let folders: DataFolders
    private let space: FreeSpace
    /// The chunks that all nodes share, or `nil` for a service of one process.
    private let shared: (any SharedFileStore)?
    private let inventory = Mutex(ChunkInventory())

    /// The start of the names of shared chunks.
    public static let sharedPrefix = "chunks/"
    private static let lifetime = Duration.seconds(ChunkInventory.lifetimeSeconds)
    private static let spentLifetime = Duration.seconds(ChunkInventory.spentSeconds)

    init(folders: DataFolders, space: FreeSpace, shared: (any SharedFileStore)? = nil) {
        self.folders = folders
        self.space = space
        self.shared = shared
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
        let (path, size) = (draft.path, draft.byteCount)
        try inventory.withLock { inventory in
            // Other chunks may have been stored since the last check.
            guard inventory.byteCount + size <= limit else { throw ChunkError.noRoom(limit: limit) }
            try move(path, to: self.path(of: key))
            inventory.add(key, byteCount: size, at: .now())
        }
    }

    /// Makes received chunks available to all nodes. Call this before they are acknowledged.
    ///
    /// - Parameter limit: The limit for all shared chunks together, in bytes.
    /// - Throws: ``ChunkError`` if there is no room for them.
    public func share(
        _ checksums: [SHA1Checksum], from sender: ChunkSender, limit: Int64
    ) async throws {
        guard let shared else { return }
        let stored = try await shared.extend(
            checksums.map { sharedName(of: $0, sender) }, for: Self.lifetime)
        let new = Set(checksums).filter { !stored.contains(sharedName(of: $0, sender)) }
        let bytes = try new.reduce(Int64(0)) { sum, checksum in
            sum + (try FileStatus(of: path(of: Key(sender: sender, checksum: checksum))).size)
        }
        try await makeSharedRoom(for: bytes, limit: limit, in: shared)
        for checksum in new {
            try await shared.keep(
                fileAt: path(of: Key(sender: sender, checksum: checksum)),
                as: sharedName(of: checksum, sender), for: Self.lifetime)
        }
        // Other nodes may have shared chunks since the last check.
        if try await shared.byteCount(under: Self.sharedPrefix) > limit {
            try await shared.remove(new.map { sharedName(of: $0, sender) })
            throw ChunkError.noRoom(limit: limit)
        }
    }

    private func makeSharedRoom(
        for bytes: Int64, limit: Int64, in shared: any SharedFileStore
    ) async throws {
        func isShort() async throws -> Bool {
            try await shared.byteCount(under: Self.sharedPrefix) + bytes > limit
        }
        guard try await isShort() else { return }
        try await shared.removeExpiring(under: Self.sharedPrefix, within: Self.spentLifetime)
        if try await isShort() { throw ChunkError.noRoom(limit: limit) }
    }

    private func sharedName(of checksum: SHA1Checksum, _ sender: ChunkSender) -> String {
        "\(Self.sharedPrefix)\(sender.folderName)/\(checksum.text)"
    }

    /// Returns the distinct chunks that are not stored, and extends the lifetime of the others.
    public func missing(
        among checksums: [SHA1Checksum], from sender: ChunkSender
    ) async throws(StorageError) -> [SHA1Checksum] {
        let here = missingHere(among: checksums, from: sender)
        guard let shared else { return here }
        let stored = try await shared.extend(
            checksums.map { sharedName(of: $0, sender) }, for: Self.lifetime)
        var seen: Set<SHA1Checksum> = []
        return checksums.filter { checksum in
            !stored.contains(sharedName(of: checksum, sender)) && seen.insert(checksum).inserted
        }
    }

    private func missingHere(
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

    /// Removes shared chunks that were not used during their lifetime.
    func removeExpiredShared() async throws(StorageError) {
        try await shared?.removeExpiring(under: Self.sharedPrefix, within: .zero)
    }

    /// Removes chunks that were not used during their lifetime.
    func removeExpired(at now: UnixTime = .now()) {
        removeFiles { $0.removeExpired(at: now) }
    }

    private func makeRoom(for bytes: Int64, limit: Int64) throws {
        let isShort = { self.inventory.withLock { $0.byteCount } + bytes > limit }
        if isShort() { removeFiles { $0.removeSpent() } }
        if isShort() { throw ChunkError.noRoom(limit: limit) }
    }

    /// Removes the files of the chunks that `body` removes from the inventory.
    ///
    /// A chunk may be uploaded again in the meantime. So its file is renamed while the inventory is
    /// locked, and removed afterwards, because removing takes longer.
    ///
    /// - Returns: The removed chunks.
    @discardableResult
    private func removeFiles(_ body: (inout ChunkInventory) -> [Key]) -> [Key] {
        let (keys, files) = inventory.withLock { inventory in
            let keys = body(&inventory)
            return (keys, keys.compactMap(renamedFile))
        }
        for file in files { folders.remove(file) }
        return keys
    }

    /// Renames the file of a chunk, so that the next start of the process removes it.
    ///
    /// - Returns: The new path, or `nil` if there is no such file.
    private func renamedFile(of key: Key) -> String? {
        let target = folders.newIncomingPath()
        do { try move(path(of: key), to: target) } catch { return nil }
        return target
    }

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
    func unpin(_ checksums: [SHA1Checksum], from sender: ChunkSender, isSpent: Bool) async {
        let keys = checksums.map { Key(sender: sender, checksum: $0) }
        inventory.withLock { $0.unpin(keys, isSpent: isSpent) }
        guard isSpent else { return }
        // If this fails, they stay for their whole lifetime.
        _ = try? await shared?.extend(
            checksums.map { sharedName(of: $0, sender) }, for: Self.spentLifetime)
    }

    /// Removes chunks immediately, so that a client sends them again. Chunks of other files that
    /// are being assembled are kept.
    func remove(_ checksums: [SHA1Checksum], from sender: ChunkSender) async {
        let keys = checksums.map { Key(sender: sender, checksum: $0) }
        let removed = removeFiles { $0.remove(keys) }
        try? await shared?.remove(removed.map { sharedName(of: $0.checksum, sender) })
    }

    /// Joins chunks into a file.
    ///
    /// - Returns: The checksum of the file.
    /// - Throws: `StorageError` of a full disk if the file would leave too little free space.
    func join(
        _ checksums: [SHA1Checksum], from sender: ChunkSender, to target: String
    ) async throws -> SHA1Checksum {
        try space.check(for: byteCount(of: checksums, from: sender))
        var hash = Insecure.SHA1()
        var file = try DurableFileWriter(at: target)
        for checksum in checksums {
            // Checked again for each chunk, because other files are written concurrently.
            try space.check(for: Int64(Self.chunkBytesLimit))
            let chunk = try await location(of: checksum, from: sender)
            defer { if chunk.isCopy { folders.remove(chunk.path) } }
            try readPieces(of: chunk.path) { piece in
                unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
                try file.write(piece)
            }
            // Yields, so that a file of gigabytes does not block other requests.
            await Task.yield()
        }
        return SHA1Checksum(digest: hash.finalize())
    }

    /// Returns an upper bound for the size of a file that chunks form. Chunks that only other nodes
    /// have are counted with the maximum size.
    private func byteCount(of checksums: [SHA1Checksum], from sender: ChunkSender) -> Int64 {
        inventory.withLock { inventory in
            checksums.reduce(0) { sum, checksum in
                let size = inventory.byteCount(of: Key(sender: sender, checksum: checksum))
                return sum + (size ?? Int64(Self.chunkBytesLimit))
            }
        }
    }

    /// Returns the path of a chunk, or of a copy of one that another node received.
    private func location(
        of checksum: SHA1Checksum, from sender: ChunkSender
    ) async throws -> (path: String, isCopy: Bool) {
        let own = path(of: Key(sender: sender, checksum: checksum))
        guard let shared, (try? FileStatus(of: own)) == nil else { return (own, false) }
        let copy = folders.newIncomingPath()
        // If the chunk was removed meanwhile, reading the copy fails, and the client asks again.
        _ = try await shared.fetch(sharedName(of: checksum, sender), to: copy)
        return (copy, true)
    }
}

import CallStacks

/// The sizes and lifetimes of the stored chunks.
///
/// A chunk is kept for a while after a client last sent or listed it. Chunks of complete files are
/// *spent*: they are removed sooner, or when others need the space.
struct ChunkInventory {
    struct Key: Hashable, Sendable {
        var sender: ChunkSender
        var checksum: SHA1Checksum
    }

    private struct Entry {
        var byteCount: Int64
        var lastUse: UnixTime
        var isSpent = false
    }

    /// The lifetime of a chunk, in seconds. Clients stop polling earlier.
    static let lifetimeSeconds: Int64 = 3_600
    /// The lifetime of a chunk whose file is complete, in seconds.
    static let spentSeconds: Int64 = 600

    private var entries: [Key: Entry] = [:]
    /// The number of times that a file under assembly contains a chunk. A chunk may be pinned before it
    /// is stored, if another node received it.
    private var pins: [Key: Int] = [:]
    /// The size of all chunks, in bytes.
    private(set) var byteCount: Int64 = 0

    mutating func add(_ key: Key, byteCount size: Int64, at now: UnixTime) {
        if entries[key] == nil {
            byteCount += size
            entries[key] = Entry(byteCount: size, lastUse: now)
        } else {
            touch(key, at: now)
        }
    }

    /// Returns the size of a chunk, or `nil` if it is not stored.
    func byteCount(of key: Key) -> Int64? { entries[key]?.byteCount }

    /// Records that a client sent or listed a chunk.
    ///
    /// - Returns: Whether the chunk is stored.
    @discardableResult
    mutating func touch(_ key: Key, at now: UnixTime) -> Bool {
        guard entries[key] != nil else { return false }
        entries[key]?.lastUse = now
        entries[key]?.isSpent = false
        return true
    }

    /// Keeps chunks until ``unpin(_:isSpent:)``.
    mutating func pin(_ keys: [Key]) { for key in keys { pins[key, default: 0] += 1 } }

    mutating func unpin(_ keys: [Key], isSpent: Bool) {
        for key in keys {
            let count = pins[key] ?? 0
            pins[key] = count > 1 ? count - 1 : nil
            if isSpent { entries[key]?.isSpent = true }
        }
    }

    /// Removes and returns the expired chunks.
    mutating func removeExpired(at now: UnixTime) -> [Key] {
        remove { entry in
            let seconds = entry.isSpent ? Self.spentSeconds : Self.lifetimeSeconds
            return entry.lastUse.advanced(seconds: seconds) < now
        }
    }

    /// Removes the chunks of complete files, and returns them.
    mutating func removeSpent() -> [Key] { remove(where: \.isSpent) }

    /// Removes chunks, except those of other files that are being assembled.
    ///
    /// - Returns: The removed ones, stored or not.
    mutating func remove(_ keys: [Key]) -> [Key] {
        let unpinned = keys.filter { pins[$0] == nil }
        for key in unpinned { byteCount -= entries.removeValue(forKey: key)?.byteCount ?? 0 }
        return unpinned
    }

    private mutating func remove(where isRemoved: (Entry) -> Bool) -> [Key] {
        remove(entries.filter { pins[$0.key] == nil && isRemoved($0.value) }.map(\.key))
    }
}

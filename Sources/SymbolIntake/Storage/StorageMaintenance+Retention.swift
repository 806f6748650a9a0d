public import CallStacks
import TaskCoordination

extension StorageMaintenance {
    /// Removes debug files whose last use or upload is older than the age limit. Then removes the
    /// least recently used files while the blobs exceed the size limit.
    ///
    /// - Returns: The number of removed files.
    @discardableResult
    public func applyRetention(now: UnixTime) async throws(IntakeError) -> Int {
        let limits = storage.settings.retention
        let oldest = limits.ageSeconds.map { now.advanced(seconds: -$0) }
        do {
            // Recent uses must be in the catalogue before files are chosen.
            try await symbols.recordUses()
            var count = 0
            var excess = try await excessBytes()
            while true {
                let files = try await storage.catalogue.leastRecentlyUsed(count: Self.listLength)
                if files.isEmpty { return count }
                for file in files {
                    let isOld = oldest.map { max(file.upload, file.lastUse) < $0 } ?? false
                    if !isOld, excess <= 0 {
                        // Computed again, because a removed file may have shared its blob with
                        // another one.
                        if count > 0 { excess = try await excessBytes() }
                        guard excess > 0 else { return count }
                    }
                    guard try await SymbolRemoval(storage, symbols: symbols).remove(file) else {
                        return count
                    }
                    excess -=
                        file.storedByteCount + (file.executable?.storedByteCount ?? 0)
                        + (file.companions?.storedByteCount ?? 0)
                    count += 1
                }
            }
        } catch { throw IntakeError(error) }
    }

    /// The maximum number of files per query.
    private static let listLength = 100

    /// Returns the size of the blobs beyond the limit. It is summed from all files.
    private func excessBytes() async throws -> Int64 {
        guard let limit = storage.settings.retention.bytes else { return 0 }
        return try await storage.catalogue.storedBytes() - limit
    }

    /// Removes blobs and indexes without a row in the catalogue, which remain if the process is
    /// killed between the two writes.
    public func removeOrphans() async throws(IntakeError) {
        do {
            for name in try await storage.blobs.names() {
                try await storage.changes.run {
                    if try await !storage.catalogue.isReferenced(blob: name) {
                        try await storage.blobs.remove(name)
                    }
                }
            }
            for (image, names) in try storage.indexes.names() {
                try await storage.changes.run {
                    try storage.indexes.remove(
                        names, besidesThoseOf: try await storage.catalogue.debugFiles(of: image))
                }
            }
        } catch { throw IntakeError(error) }
    }
}

public import CallStacks
import TaskCoordination

extension StorageMaintenance {
    /// Removes debug files whose last use or upload is older than the age limit. Then removes the
    /// least recently used files as long as the blobs exceed the size limit.
    ///
    /// - Returns: The number of removed files.
    @discardableResult
    public func applyRetention(now: UnixTime) async throws(IntakeError) -> Int {
        let limits = storage.settings.retention
        let oldest = limits.ageSeconds.map { now.advanced(seconds: -$0) }
        do {
            // Uses that are not in the catalogue yet must count.
            try await symbols.recordUses()
            var count = 0
            while let file = try await storage.catalogue.leastRecentlyUsed(count: 1).first {
                let isOld = oldest.map { max(file.upload, file.lastUse) < $0 } ?? false
                if !isOld {
                    guard let bytes = limits.bytes,
                        try await storage.catalogue.storedBytes() > bytes
                    else { break }
                }
                guard try await SymbolRemoval(storage, symbols: symbols).remove(file) else { break }
                count += 1
            }
            return count
        } catch { throw IntakeError(error) }
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

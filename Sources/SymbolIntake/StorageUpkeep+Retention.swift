public import CallStacks

extension StorageUpkeep {
    /// Removes debug files that were neither used nor uploaded for longer than they are kept, and
    /// those that were not for longest while all take more room than they may.
    ///
    /// - Returns: How many went.
    @discardableResult
    public func applyRetention(now: UnixTime) async throws(IntakeError) -> Int {
        let limits = storage.settings.retention
        let oldest = limits.ageSeconds.map { now.advanced(seconds: -$0) }
        do {
            // Uses that the catalogue does not know of yet would be forgotten with the file.
            try await symbols.noteUses()
            var count = 0
            while let file = try await storage.catalogue.leastUsed(count: 1).first {
                let isOld = oldest.map { max(file.upload, file.lastUse) < $0 } ?? false
                if !isOld {
                    guard let bytes = limits.bytes,
                        try await storage.catalogue.storedBytes() > bytes
                    else { break }
                }
                guard try await SymbolRemoval(storage, symbols).remove(file) else { break }
                count += 1
            }
            return count
        } catch { throw IntakeError(error) }
    }

    /// Removes blobs and indexes that belong to no row of the catalogue, as a process that is killed
    /// between the two leaves them.
    public func removeOrphans() async throws(IntakeError) {
        do {
            for name in try await storage.blobs.names() {
                try await storage.changes.run {
                    if try await !storage.catalogue.isWanted(blob: name) {
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

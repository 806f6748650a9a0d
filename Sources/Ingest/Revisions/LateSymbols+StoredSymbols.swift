import SymbolIntake

extension LateSymbols {
    /// The maximum number of waiting diagnostics for which an incomplete debug file is announced
    /// again. They may all be waiting for a better file rather than have missed this one.
    private static let incompleteLimit = 10_000

    /// Announces symbols that diagnostics wait for although they are stored.
    ///
    /// A lookup that cannot wait for an index or for the catalogue continues without it. Its
    /// process announces the symbols once they are available, but may end before that.
    func announceStoredSymbols() async throws {
        let awakened = Set(try await archive.awakenedImages())
        try await archive.visitAwaitedImages { images in
            let unannounced = images.filter { !awakened.contains($0.image) }
            for (app, images) in Dictionary(grouping: unannounced, by: \.app) {
                try await announceStored(images, for: app.map(DebugFileAccess.only) ?? .everything)
            }
        }
    }

    private func announceStored(
        _ images: [AwaitedImage], for access: DebugFileAccess
    ) async throws {
        let groups = Dictionary(grouping: images) { $0.waitingCount <= Self.incompleteLimit }
        for (includesIncomplete, images) in groups {
            try await symbolChanges.announceStored(
                among: images.map(\.image), for: access, includingIncomplete: includesIncomplete)
        }
    }
}

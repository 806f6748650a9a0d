public import Ingest

extension LaneJournal {
    /// Returns the entry with a number, of any lane, or `nil` if it is no longer stored.
    ///
    /// - Throws: `JournalError` with the reason `unavailable` if it is archived, and the bucket
    ///   does not respond.
    public func entry(_ number: Int64) async throws(JournalError) -> JournalEntry? {
        try await entries([number], bytes: .max).first
    }

    /// Returns the stored entries of any lanes among those with the given numbers, in the order of
    /// the numbers, up to `bytes` of bodies.
    ///
    /// - Throws: `JournalError` with the reason `unavailable` if one of them is archived, and the
    ///   bucket does not respond.
    public func entries(
        _ numbers: [Int64], bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        let stored = try await database.entries(numbers, bytes: bytes)
        guard let archive = options.archive, stored.count < numbers.count else { return stored }
        let found = Set(stored.map(\.number))
        let rest = numbers.filter { !found.contains($0) }
        // An entry is archived before it is removed, so the order of these reads loses none.
        let beyondLimit = try await database.storedNumbers(among: rest)
        let wanted = try await database.archived(rest.filter { !beyondLimit.contains($0) })
        guard !wanted.isEmpty else { return stored }
        let archived = try await archive.entries(wanted)
        let byNumber = Dictionary(
            (stored + archived).map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        let available = numbers.prefix { !beyondLimit.contains($0) }.compactMap { byNumber[$0] }
        return Self.first(available, bytes: bytes)
    }

    private static func first(_ entries: [JournalEntry], bytes: Int) -> [JournalEntry] {
        var sum = 0
        return Array(
            entries.prefix { entry in
                sum += entry.draft.body.count
                return sum <= bytes
            })
    }
}

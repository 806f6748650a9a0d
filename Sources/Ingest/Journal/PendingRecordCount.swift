import OTLP

/// The number of records that a reader has not finished, counted up to a limit.
public struct PendingRecordCount: Hashable, Sendable {
    public private(set) var count: Int64 = 0
    /// Whether the limit was reached before the end of the journal.
    public private(set) var isLowerBound = false

    /// The maximum number of entries that are counted, and of bytes of their bodies.
    static let entryLimit = 20_000
    static let bytesLimit = 64 << 20
    private static let entriesPerRead = 500

    /// - Parameter reader: A reader that has a cursor.
    public init(for reader: String, in journal: any Journal) async throws(JournalError) {
        var cursor = try await journal.cursor(of: reader)
        var entryCount = 0
        var byteCount = 0
        while entryCount < Self.entryLimit, byteCount < Self.bytesLimit {
            let entries = try await journal.entries(
                after: cursor, count: Self.entriesPerRead, bytes: 4 << 20)
            guard let last = entries.last else { return }
            for entry in entries { count += Int64(Self.recordCount(of: entry.draft)) }
            entryCount += entries.count
            byteCount += entries.reduce(0) { $0 + $1.draft.body.count }
            cursor = last.number
        }
        isLowerBound = true
    }

    /// A request without records counts as one.
    private static func recordCount(of draft: JournalDraft) -> Int {
        draft.kind.signal == nil ? 1 : max(RequestRecords(of: draft.body).count, 1)
    }
}

public import CallStacks
public import Decompression
public import Ingest
import PostgreSQL

/// A draft to be stored.
struct StoredDraft: Sendable {
    let key: EntryKey
    let arrival: UnixTime
    let kind: EntryKind
    let app: String?
    let isRepeatable: Bool
    let body: PackedBody

    /// Compresses the body, which is slow.
    init(_ draft: JournalDraft) throws(PackedBodyError) {
        key = draft.key
        arrival = draft.arrival
        kind = draft.kind
        app = draft.app
        isRepeatable = draft.isRepeatable
        body = try PackedBody(draft.body)
    }

    var storedBytes: Int64 { Int64(body.bytes.count) }
}

/// An entry as stored.
public struct StoredEntry: Sendable {
    public let number: Int64
    public let key: EntryKey
    public let arrival: UnixTime
    public let kind: EntryKind
    public let app: String?
    /// The body, still compressed.
    public let body: PackedBody

    public init(
        number: Int64, key: EntryKey, arrival: UnixTime, kind: EntryKind, app: String?,
        body: PackedBody
    ) {
        self.number = number
        self.key = key
        self.arrival = arrival
        self.kind = kind
        self.app = app
        self.body = body
    }

    /// The columns of a row of the table `e`.
    static let columns = "e.number, e.key, e.arrival, e.signal, e.size, e.form, e.body, e.app"

    init(_ row: Row) throws {
        let number = try row.value(0, .int8)
        guard let key = EntryKey(bytes: try row.value(1, .bytea)) else {
            throw JournalError.damage("entry \(number)")
        }
        let form = Int(try row.value(5, .int2))
        guard let kind = EntryKind(rawValue: Int(try row.value(3, .int2))),
            PackedBody.Form(rawValue: form) != nil
        else {
            throw JournalError.unreadable(number)
        }
        self.number = number
        self.key = key
        self.kind = kind
        arrival = UnixTime(rawValue: try row.value(2, .int8))
        app = try row.optional(7, .text)
        body = try PackedBody(
            form: form, size: Int(try row.value(4, .int4)),
            bytes: try row.value(6, .bytea))
    }

    /// Decompresses the body, which is slow.
    public func entry() throws(PackedBodyError) -> JournalEntry {
        JournalEntry(
            number: number,
            draft: JournalDraft(
                key: key, arrival: arrival, kind: kind, body: try body.body(), app: app))
    }
}

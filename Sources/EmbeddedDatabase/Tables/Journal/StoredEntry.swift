import CallStacks
import Decompression
import Foundation
import GRDB
import Ingest

/// A draft to be stored.
struct StoredDraft: Sendable {
    let key: Data
    let arrival: UnixTime
    let kind: EntryKind
    let app: String?
    let isRepeatable: Bool
    let body: PackedBody
    /// The bytes of ``body`` as a value of a row.
    let data: Data

    /// Compresses the body, which is slow.
    init(_ draft: JournalDraft) throws(DatabaseProblem) {
        key = Data(draft.key.bytes)
        arrival = draft.arrival
        kind = draft.kind
        app = draft.app
        isRepeatable = draft.isRepeatable
        body = try PackedBody(packing: draft.body)
        data = body.data
    }
}

/// An entry as stored.
struct StoredEntry: Sendable {
    private let number: Int64
    private let key: EntryKey
    private let arrival: UnixTime
    private let kind: EntryKind
    private let app: String?
    private let body: PackedBody

    /// The columns of a row.
    static let columns = "number, key, arrival, signal, size, form, body, app"

    init(_ row: Row) throws(DatabaseProblem) {
        guard let key = EntryKey(bytes: [UInt8](row[1] as Data)),
            let kind = EntryKind(rawValue: row[3])
        else {
            throw DatabaseProblem.damage("entry \(row[0] as Int64)")
        }
        number = row[0]
        self.key = key
        arrival = UnixTime(rawValue: row[2])
        self.kind = kind
        app = row[7]
        body = try PackedBody(form: row[5], size: row[4], data: row[6])
    }

    /// Decompresses the body, which is slow.
    func entry() throws(DatabaseProblem) -> JournalEntry {
        JournalEntry(
            number: number,
            draft: JournalDraft(
                key: key, arrival: arrival, kind: kind, body: try body.unpacked(), app: app))
    }
}

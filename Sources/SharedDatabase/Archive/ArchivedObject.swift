import ByteReading
import Ingest
import PostgreSQL

/// An object in the bucket with entries of one lane, as described by its row.
public struct ArchivedObject: Hashable, Sendable {
    /// The object's name, which is never reused.
    public let name: String
    /// The latest day on which one of its diagnostics arrived, counted from 1970.
    public let day: Int32
    /// The entries, in the order of their numbers and of their bytes in the object.
    public let entries: [ArchivedEntry]

    /// - Precondition: `entries` is not empty, and their bytes follow each other.
    public init(name: String, day: Int32, entries: [ArchivedEntry]) {
        precondition(!entries.isEmpty, "entries: none")
        self.name = name
        self.day = day
        self.entries = entries
    }

    /// The size of the object in bytes.
    public var byteCount: Int64 { entries.last?.range.upperBound ?? 0 }
}

/// An entry in an object.
public struct ArchivedEntry: Hashable, Sendable {
    public let number: Int64
    /// The positions of its bytes in the object.
    public let range: Range<Int64>
    /// The start of the SHA-256 of these bytes.
    public let digest: [UInt8]

    public static let digestLength = 16

    /// - Precondition: `digest` has ``digestLength`` bytes.
    public init(number: Int64, range: Range<Int64>, digest: [UInt8]) {
        precondition(digest.count == Self.digestLength, "digest: not 16 bytes")
        self.number = number
        self.range = range
        self.digest = digest
    }
}

extension ArchivedObject {
    static let columns = "object, day, first, entries"

    init(_ row: Row) throws {
        let name = try row.value(0, .text)
        var rest = try row.value(3, .bytea)[...]
        var number = try row.value(2, .int8)
        var start: Int64 = 0
        var entries: [ArchivedEntry] = []
        while !rest.isEmpty {
            guard let distance = rest.popULEB128(), let count = rest.popULEB128(),
                rest.count >= ArchivedEntry.digestLength, count <= UInt64(Int32.max)
            else { throw JournalError.damage("archived object '\(name)'") }
            number &+= Int64(bitPattern: distance)
            entries.append(
                ArchivedEntry(
                    number: number, range: start..<start + Int64(count),
                    digest: Array(rest.prefix(ArchivedEntry.digestLength))))
            rest.removeFirst(ArchivedEntry.digestLength)
            start += Int64(count)
        }
        guard !entries.isEmpty else { throw JournalError.damage("archived object '\(name)'") }
        self.init(name: name, day: try row.value(1, .int4), entries: entries)
    }

    /// Returns the statement that adds the row of a lane's object if the claim in `$1` and `$2` is
    /// valid.
    func insertion(_ claimParameters: [Parameter]) throws -> Statement {
        let first = entries.first?.number ?? 0
        return try Statement(
            """
            INSERT INTO archive (last, first, day, object, bytes, entries)
            SELECT $3, $4, $5, $6, $7, $8 FROM lane WHERE id = $1 AND epoch = $2
            """,
            claimParameters + [
                .value(entries.last?.number ?? 0, .int8), .value(first, .int8),
                .value(day, .int4), .value(name, .text), .value(byteCount, .int8),
                .value(encodedEntries, .bytea),
            ])
    }

    /// For each entry, the distance of its number from the previous one, its size, and its digest.
    private var encodedEntries: [UInt8] {
        var bytes: [UInt8] = []
        var number = entries.first?.number ?? 0
        for entry in entries {
            bytes.append(uleb128: UInt64(bitPattern: entry.number &- number))
            bytes.append(uleb128: UInt64(entry.range.count))
            bytes += entry.digest
            number = entry.number
        }
        return bytes
    }
}

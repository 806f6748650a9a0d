import Crypto
import SharedDatabase

/// An object of archived entries that is being filled.
struct ArchiveDraft {
    /// The position of the cursor before its entries.
    let start: LanePosition
    /// The position of the cursor after them.
    private(set) var end: LanePosition
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [ArchivedEntry] = []
    private(set) var day: Int32 = 0
    /// Whether the object is complete because the next entry belongs to a later day.
    private(set) var isClosed = false
    /// When the first entry was added, or skipped because it has no diagnostics.
    private(set) var since: ContinuousClock.Instant?

    init(after start: LanePosition) {
        self.start = start
        end = start
    }

    /// Adds entries in the order of their numbers, and closes the object before an entry of a later
    /// day: retention removes an object when the day of its latest diagnostics expires.
    ///
    /// - Throws: `CompressionError`.
    mutating func add(_ batch: ArchivableEntries) throws {
        if since == nil, batch.end != end { since = .now }
        for next in batch.entries {
            if next.day > day, !entries.isEmpty {
                isClosed = true
                return
            }
            day = max(day, next.day)
            try add(next)
        }
        end = batch.end
    }

    private mutating func add(_ next: ArchivableEntries.Entry) throws {
        let record = try ArchiveRecord.bytes(of: next.entry)
        let range = Int64(bytes.count)..<Int64(bytes.count + record.count)
        entries.append(
            ArchivedEntry(
                number: next.entry.number, range: range, digest: ArchivedEntry.digest(of: record)))
        bytes += record
        end = next.position
    }

    func object(named name: String) -> ArchivedObject {
        ArchivedObject(name: name, day: day, entries: entries)
    }
}

extension ArchivedEntry {
    static func digest(of record: some Sequence<UInt8>) -> [UInt8] {
        Array(SHA256.hash(data: Array(record)).prefix(digestLength))
    }
}

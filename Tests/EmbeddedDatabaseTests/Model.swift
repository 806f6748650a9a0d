import CallStacks
import Ingest
import JournalSupport

/// A simple model of journal and archive: everything in memory, without running counts.
struct Model {
    struct Missing: Equatable {
        var versions: [String] = []
        var waiting = 0
        var firstSeen: UnixTime
        var lastSeen: UnixTime
    }

    private(set) var entries: [Int64: JournalDraft] = [:]
    private(set) var last: Int64 = 0
    private(set) var cursors: [String: Int64] = ["worker": 0]
    /// The diagnostics in the order of their cursors.
    private(set) var rows: [DiagnosticRecord] = []
    /// The times at which diagnostics are sent again, by their names.
    private var marked: [String: UnixTime] = [:]
    /// The last entries that send diagnostics again, by the names of these.
    private var releases: [String: Int64] = [:]
    private var missing: [ImageID: Missing] = [:]

    mutating func append(_ drafts: [JournalDraft]) -> [Int64] {
        drafts.map { draft in
            last += 1
            entries[last] = draft
            return last
        }
    }

    mutating func cursor(of reader: String) -> Int64 {
        cursors[reader] = cursors[reader] ?? last
        return cursors[reader]!
    }

    mutating func advance(_ reader: String, to number: Int64) {
        cursors[reader] = max(cursors[reader] ?? 0, min(number, last))
    }

    mutating func dropReader(_ name: String) { cursors[name] = nil }

    var slowest: Int64 { cursors.values.min()! }

    /// The slowest reader; the worker precedes others at the same position.
    private var slowestReader: String? {
        let readers = cursors.filter { $0.value == slowest }.keys
        return readers.contains("worker") ? "worker" : readers.min()
    }

    var backlog: Backlog {
        let waiting = entries.filter { $0.key > slowest }
        return Backlog(
            bytes: waiting.values.reduce(0) { $0 + Int64($1.body.count) },
            count: Int64(waiting.count),
            oldest: waiting.min { $0.key < $1.key }?.value.arrival,
            reader: waiting.isEmpty ? nil : slowestReader)
    }

    mutating func removePassed() -> Int {
        let kept = Set(rows.map(\.address.entry))
        let gone = entries.keys.filter { $0 <= slowest && !kept.contains($0) }
        for number in gone { entries[number] = nil }
        return gone.count
    }

    mutating func commit(_ work: WorkerCommit) {
        rows += work.diagnostics
        for row in work.diagnostics { recordWaits(of: row) }
        for revision in work.revised {
            guard let index = rows.firstIndex(where: { $0.uid == revision.uid }) else { continue }
            rows[index] = revision
            recordWaits(of: revision)
        }
        countWaits()
        advance("worker", to: work.lastNumber)
    }

    private mutating func recordWaits(of row: DiagnosticRecord) {
        for wanted in row.wanted {
            var image =
                missing[wanted.image] ?? Missing(firstSeen: row.arrival, lastSeen: row.arrival)
            image.firstSeen = min(image.firstSeen, row.arrival)
            image.lastSeen = max(image.lastSeen, row.arrival)
            let version = "\(row.version!) (\(row.build!))"
            if !image.versions.contains(version) { image.versions.append(version) }
            missing[wanted.image] = image
        }
    }

    private mutating func countWaits() {
        for image in missing.keys {
            let waiting = rows.count { row in row.wanted.contains { $0.image == image } }
            missing[image]!.waiting = waiting
            if waiting == 0 { missing[image] = nil }
        }
    }

    var missingImages: [ImageID: Missing] { missing }

    mutating func wake(
        waitingFor image: ImageID, since oldest: UnixTime, due: UnixTime
    ) -> Int {
        var count = 0
        for index in rows.indices where rows[index].wanted.contains(where: { $0.image == image }) {
            rows[index].wanted.removeAll { $0.image == image }
            guard rows[index].arrival >= oldest else { continue }
            marked[rows[index].uid] = max(marked[rows[index].uid] ?? due, due)
            count += 1
        }
        countWaits()
        return count
    }

    mutating func enqueueDue(count: Int, now: UnixTime) -> [String] {
        let moments = rows.map { row in
            [marked[row.uid], row.state == .held ? row.heldUntil : nil]
                .compactMap(\.self).filter { $0 <= now }.min()
        }
        let due = rows.indices.filter { moments[$0] != nil }
            .sorted { (moments[$0]!, $0) < (moments[$1]!, $1) }.prefix(count)
        for (offset, index) in due.enumerated() {
            marked[rows[index].uid] = nil
            releases[rows[index].uid] = last + Int64(offset) + 1
            if rows[index].state == .held { rows[index].state = .released }
        }
        return due.map { rows[$0].address.description }
    }

    private func isRemovable(_ row: DiagnosticRecord) -> Bool {
        row.state == .sent && marked[row.uid] == nil
            && max(row.address.entry, releases[row.uid] ?? 0) <= slowest
    }

    mutating func removeDiagnostics(before oldest: UnixTime, keeping bytes: Int64, count: Int)
        -> Int
    {
        var removed = 0
        while removed < count,
            let index = rows.firstIndex(where: isRemovable),
            rows[index].arrival < oldest || keptBytes > bytes
        {
            rows.remove(at: index)
            removed += 1
        }
        countWaits()
        return removed
    }

    private var keptBytes: Int64 {
        Set(rows.map(\.address.entry)).reduce(0) { $0 + Int64(entries[$1]!.body.count) }
    }
}

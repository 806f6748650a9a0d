import CallStacks
import Ingest
import JournalSupport

/// A simple model of a journal: everything in memory, without running counts.
struct JournalModel {
    private(set) var entries: [JournalDraft] = []
    /// The sizes of their bodies, which are summed so often that copies of drafts take too long.
    private var sizes: [Int64] = []
    private(set) var cursors: [String: Int64] = [JournalReaders.worker: 0]
    /// The exporters of dead letters, in their order.
    private(set) var letters: [String] = []

    var last: Int64 { Int64(entries.count) }

    mutating func append(_ drafts: [JournalDraft]) -> [Int64] {
        drafts.map { draft in
            entries.append(draft)
            sizes.append(Int64(draft.body.count))
            return last
        }
    }

    mutating func cursor(of reader: String) -> Int64 {
        let cursor = cursors[reader] ?? last
        cursors[reader] = cursor
        return cursor
    }

    mutating func advance(_ reader: String, to number: Int64) {
        cursors[reader] = max(cursors[reader] ?? 0, min(number, last))
    }

    mutating func deadLetter(of exporter: String, advancingTo number: Int64) {
        letters.append(exporter)
        advance(exporter, to: number)
    }

    mutating func dropReader(_ name: String) {
        cursors[name] = nil
        letters.removeAll { $0 == name }
    }

    var slowest: Int64 { cursors.values.min() ?? 0 }

    func backlog(of reader: String) -> Backlog {
        guard let cursor = cursors[reader], cursor < last else { return Backlog() }
        let waiting = sizes.dropFirst(Int(cursor))
        return Backlog(
            bytes: waiting.reduce(0, +), count: Int64(waiting.count),
            oldest: entries[Int(cursor)].arrival, reader: reader)
    }

    /// The worker precedes others at the same position.
    var backlog: Backlog {
        let readers = cursors.filter { $0.value == slowest }.keys
        let reader = readers.contains(JournalReaders.worker) ? JournalReaders.worker : readers.min()
        return backlog(of: reader ?? "")
    }

    var workerBacklog: WorkerBacklog {
        let cursor = Int(cursors[JournalReaders.worker] ?? 0)
        let waiting = sizes.dropFirst(cursor)
        return WorkerBacklog(
            bytes: waiting.reduce(0, +), count: Int64(waiting.count),
            processedBytes: sizes.prefix(cursor).reduce(0, +))
    }

    /// The numbers after `number` that ``Ingest/Journal/entries(after:count:bytes:)`` returns.
    func run(after number: Int64, count: Int, bytes: Int) -> [Int64] {
        var numbers: [Int64] = []
        var sum = 0
        for next in entries.indices.dropFirst(Int(number)).prefix(count) {
            sum += entries[next].body.count
            if !numbers.isEmpty, sum > bytes { break }
            numbers.append(Int64(next) + 1)
        }
        return numbers
    }
}

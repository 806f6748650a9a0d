import GRDB

/// Removes entries that are no longer needed.
///
/// Diagnostics keep entries alive for weeks, so a search from the first entry would visit all of
/// them each time. Therefore a sweep continues where the previous one ended, and an entry before
/// that position is listed as unreferenced when its last diagnostic is removed.
struct EntryRemoval {
    private let db: Database

    /// The maximum number of kept entries visited by one call.
    private static let stepLimit = 100_000

    init(_ db: Database) { self.db = db }

    /// - Returns: The number of removed entries. If it is less than `count`, no more can be removed
    ///   now.
    func removePassed(count: Int) throws -> Int {
        let listed = try removeListed(count: count)
        return try listed + sweep(count: count - listed)
    }

    private func removeListed(count: Int) throws -> Int {
        let numbers = try db.all("SELECT number FROM unreferenced LIMIT ?", [count])
        for row in numbers {
            try db.run("DELETE FROM journal WHERE number = ?", [row[0] as Int64])
            try db.run("DELETE FROM unreferenced WHERE number = ?", [row[0] as Int64])
        }
        return numbers.count
    }

    /// Removes the entries between kept ones, from the end of the previous sweep on.
    private func sweep(count: Int) throws -> Int {
        let start: Int64 = try db.first("SELECT swept FROM tally")?[0] ?? 0
        let end = try JournalTable(db).slowestCursor()?.number ?? start
        guard count > 0, start < end else { return 0 }
        let kept = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT number FROM kept WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
                    """), arguments: [start, end, Self.stepLimit])
        var gaps = Gaps(after: start, room: count)
        for number in kept { gaps.add(upTo: number) }
        if kept.count < Self.stepLimit { gaps.add(upTo: end + 1) }
        let swept = min(gaps.end, end)
        for gap in gaps.found {
            try db.run(
                "DELETE FROM journal WHERE number BETWEEN ? AND ?",
                [gap.lowerBound, gap.upperBound])
        }
        try db.run("UPDATE tally SET swept = ?", [swept])
        return count - gaps.room
    }

    /// The ranges of numbers between kept ones.
    private struct Gaps {
        /// The last number that is either kept or in a gap.
        var end: Int64
        /// The number of entries that may be added.
        var room: Int
        var found: [ClosedRange<Int64>] = []

        init(after start: Int64, room: Int) {
            end = start
            self.room = room
        }

        /// Adds the gap before a kept number, up to the limit.
        mutating func add(upTo kept: Int64) {
            guard room > 0 else { return }
            let last = min(kept - 1, end + Int64(room))
            if last > end { found.append(end + 1...last) }
            room -= Int(last - end)
            end = last == kept - 1 ? kept : last
        }
    }
}
